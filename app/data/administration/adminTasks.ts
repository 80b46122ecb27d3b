import { callForWorkspace } from '../workspaces/callForWorkspace.ts'
import { createQuery } from '../queries/createQuery.ts'

/** What waits for owners and admins, who alone may use this. */
export const adminTasks = createQuery({
  events: ['reports', 'join_requests', 'integrations'],
  fetch: () => callForWorkspace('admin_tasks', {}),
})
