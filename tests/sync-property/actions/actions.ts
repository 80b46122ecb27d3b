import { membershipActions } from './memberships.ts'
import type { ActionTable } from './actionContext.ts'
import { draftActions } from './drafts.ts'
import { faultActions } from './faults.ts'
import { channelActions } from './channels.ts'
import { readingActions } from './reading.ts'
import { threadActions } from './threads.ts'
import { messageActions } from './messages.ts'

/** All actions of people and all faults, by name. */
export const ACTIONS: ActionTable = {
  ...messageActions,
  ...draftActions,
  ...readingActions,
  ...threadActions,
  ...membershipActions,
  ...channelActions,
  ...faultActions,
}
