import { Markdown } from "./markdown.tsx";
import type { Service } from "./model.ts";
import { Verb } from "./verb.tsx";

/** Lists the methods of a service. */
export function ServicePage({ service }: { service: Service }) {
  return (
    <>
      <h1>{service.title}</h1>
      <code>{service.name}</code>
      <div class="prose">
        <Markdown text={service.description} />
      </div>
      <ul class="methods">
        {service.methods.map(({ rpc, name, calls: [call] }) => (
          <li key={rpc}>
            <a href={`#/${service.name}/${name}`}>{name}</a> <Verb call={call} />{" "}
            {call?.protocol === "http" && <code>{call.path}</code>}
            <p class="muted">{call?.summary}.</p>
          </li>
        ))}
      </ul>
    </>
  );
}
