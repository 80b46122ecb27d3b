import type { AdminTasks } from '../../../wire/moderation.ts'
import { callCommand } from '../client/callCommand.ts'
import { createWatchedValue } from '../hooks/watchedValue.ts'

const tasks = createWatchedValue<AdminTasks>({
  events: ['reports', 'join_requests', 'integrations'],
  fetch: (workspace) => callCommand('admin_tasks', { workspace }),
})

/** What waits for owners and admins, who alone may use this; null while it is not known. */
export const useAdminTasks = tasks.useValue
