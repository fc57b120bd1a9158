import { createBoardGateway } from "./gateway.js";

const { PORT = "8080", BOARD_KEY = "secret" } = process.env;
const gateway = createBoardGateway(BOARD_KEY);
const { url } = await gateway.listen(Number(PORT), "127.0.0.1");
console.log(`The boards are at ${url}`);
process.once("SIGTERM", () => gateway.drain(5_000));
