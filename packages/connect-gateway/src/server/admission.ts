import { deadlineExceeded } from "../call/deadline.ts";
import { notPromise } from "../call/guard.ts";
import type { BeforeGate, GateContext, RequestGate } from "../call/request-gate.ts";
import type { Owner } from "../call/shared-pool.ts";
import { countBy, type Exchange, type ThrowHandler } from "../http/exchange/exchange.ts";
import { clientDisconnected, type HttpContext } from "../http/http-context.ts";
import type { GatewayErrors } from "./gateway-options.ts";
import { Deadlines, type TimedWork } from "./load/deadlines.ts";
import {
  type Arrival,
  createAdmissionQueue,
  type createPools,
  createRefusalTurns,
  maxWaitMs,
  type OverloadCause,
  type RequestKind,
} from "./load/overload.ts";

export interface AdmissionOptions {
  readonly requestGate: RequestGate;
  /** How long the gate may take after the header section of a request has arrived, in milliseconds. */
  readonly gateTimeoutMs: number;
  readonly beforeGate: BeforeGate;
  readonly overloaded: NonNullable<GatewayErrors["overloaded"]>;
  readonly pools: ReturnType<typeof createPools>;
  /** Responds with an error that a callback of a request has thrown. */
  readonly onThrow: ThrowHandler;
}

export class Admission {
  readonly options: AdmissionOptions;
  readonly queue = createAdmissionQueue();
  readonly deadlines = new Deadlines();
  readonly #refuseInTurn = createRefusalTurns();

  constructor(options: AdmissionOptions) {
    this.options = options;
  }

  /** Serves or refuses a request, now or later. @param client the owner of its places until the gate has decided */
  decide(context: HttpContext, client: string | undefined): void {
    new Visit(this, context, client).enter();
  }

  /**
   * Counts a request until its response ends or is closed. A request that is counted already is counted for the new
   * owner instead: first for the client's address, after admission for the account.
   *
   * @param owner undefined when the owner has no share
   * @returns why that is not possible: the request is not counted then
   */
  count(
    response: Exchange,
    kind: RequestKind,
    owner: Owner | undefined,
  ): OverloadCause | undefined {
    const pool = this.options.pools[kind];
    if (countBy(response, pool.holderOf(owner))) return undefined;
    return pool.held < pool.size ? "share" : "in_flight";
  }

  /** Refuses a request without a place when it is its client's turn. @param refuse sends the error */
  refuseLater(response: Exchange, client: string | undefined, refuse: () => void): void {
    // A body that waited, too, would take up to 64 KiB of memory.
    if (response.declaredLength !== 0) response.body.resume();
    this.#refuseInTurn(client, () => {
      if (response.destroyed) return;
      try {
        refuse();
      } catch (error) {
        this.options.onThrow(response, error);
      }
    });
  }
}

/**
 * A request that the gate decides on. Its methods run one after another: async functions would cost more than all else. Its
 * fields are not private for the same reason as those of an exchange.
 */
class Visit implements Arrival, TimedWork {
  private readonly admission: Admission;
  private readonly context: HttpContext;
  private readonly client: string | undefined;
  private readonly kind: RequestKind;
  private isEnded = false;
  place = -1;

  constructor(admission: Admission, context: HttpContext, client: string | undefined) {
    const { method } = context;
    this.admission = admission;
    this.context = context;
    this.client = client;
    this.kind = method === undefined || method.methodKind === "unary" ? "unary" : "stream";
  }

  enter(): void {
    const { response } = this.context;
    const { queue } = this.admission;
    const cause = this.admission.count(response, this.kind, this.client);
    if (cause) {
      this.refuseBusy(cause, this.context);
    } else if (queue.refuses(this, response.counter)) {
      countBy(response, undefined);
      this.refuseBusy("backlog", this.context);
    } else queue.enter(this);
  }

  get caller(): unknown {
    const { beforeGate } = this.admission.options;
    return notPromise(beforeGate.callerOf(this.context), "beforeGate.callerOf");
  }

  get isAnonymous(): boolean {
    const { beforeGate } = this.admission.options;
    return notPromise(beforeGate.isAnonymous(this.context), "beforeGate.isAnonymous");
  }

  get timeoutMs(): number | undefined {
    return this.context.timeoutMs();
  }

  get endsAt(): number {
    const { arrivedAt, deadline = Number.POSITIVE_INFINITY } = this.context;
    return Math.min(deadline, arrivedAt + this.admission.options.gateTimeoutMs);
  }

  giveUp(): void {
    const { response, arrivedAt } = this.context;
    if (response.destroyed) return;
    try {
      // Timers can be early, so the deadline may not have passed yet.
      const isLate = this.endsAt < arrivedAt + maxWaitMs;
      const { overloaded } = this.admission.options;
      this.context.refuse(isLate ? deadlineExceeded() : overloaded("queue", this.context));
    } catch (error) {
      this.admission.options.onThrow(response, error);
    }
  }

  begin(): void {
    const { response } = this.context;
    if (response.destroyed) {
      this.end(this.refuse);
      return;
    }
    try {
      const decision = this.admission.options.requestGate(this.context);
      if (decision) {
        response.admission = this;
        this.admission.deadlines.add(this);
        decision.then(
          () => this.end(this.admit),
          (error) => this.end(this.refuse, error),
        );
      } else this.end(this.admit);
    } catch (error) {
      this.end(this.refuse, error);
    }
  }

  abandon(): void {
    this.end(this.abort, clientDisconnected());
  }

  expire(): void {
    this.end(this.abortAndRefuse, deadlineExceeded());
  }

  /** Ends the admission, unless it has ended. An error becomes that of the request, because the caller is the event loop. */
  private end(next: (error: unknown) => void, error?: unknown): void {
    if (this.isEnded) return;
    this.isEnded = true;
    const { response } = this.context;
    response.admission = undefined;
    this.admission.deadlines.delete(this);
    this.admission.queue.leave();
    try {
      next.call(this, error);
    } catch (fault) {
      this.admission.options.onThrow(response, fault);
    }
  }

  private admit(): void {
    const context = this.context;
    if (context.response.destroyed) return; // If it was admitted, it counts against the limits.
    context.hasHeaders = false;
    const cause = this.admission.count(context.response, this.kind, context.owner);
    if (cause) this.refuseBusy(cause, undefined);
    else void context.serve();
  }

  private refuse(error: unknown): void {
    if (!this.context.response.destroyed) this.context.refuse(error);
  }

  private abort(error: unknown): void {
    this.context.abort(error);
  }

  private abortAndRefuse(error: unknown): void {
    this.context.abort(error);
    this.context.refuse(error);
  }

  /** Refuses the request when it is its client's turn. @param unseen undefined when the gate has seen it */
  private refuseBusy(cause: OverloadCause, unseen: GateContext | undefined): void {
    const context = this.context;
    const { overloaded } = this.admission.options;
    this.admission.refuseLater(context.response, this.client, () =>
      context.refuse(overloaded(cause, unseen)),
    );
  }
}
