import { fetchHandler } from "malipo/fetch";
import { receiver } from "../../webhooks.ts";

export const POST = fetchHandler(receiver);
