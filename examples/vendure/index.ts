import { bootstrap, JobQueueService } from "@vendure/core";
import { config } from "./vendure-config.ts";

bootstrap(config)
  .then((app) => app.get(JobQueueService).start())
  .catch((error) => {
    console.error(error);
    process.exit(1);
  });
