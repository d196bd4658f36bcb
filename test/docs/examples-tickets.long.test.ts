import { ticketSuite } from "./support/ticket-suite.ts";

ticketSuite({ customers: 500, seats: 50 });
