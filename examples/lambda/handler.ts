// The function behind API Gateway or a function URL: it stores and acknowledges.
import { lambdaHandler } from "malipo/lambda";
import { receiver } from "./receiver.ts";

export const handler = lambdaHandler(receiver);
