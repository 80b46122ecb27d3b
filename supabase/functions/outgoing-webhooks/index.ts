// Starts the deliveries of outgoing webhooks. The database calls it when a message is sent to a channel with a webhook.
import { serveTask } from '../_shared/serveTask.ts'
import { call } from '../_shared/service.ts'

serveTask(async () => {
  await call('deliver_webhooks', {})
  return {}
}, 'Not all deliveries were started.')
