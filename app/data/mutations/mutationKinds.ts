import { deleteKind } from './kinds/deleteKind.ts'
import { draftKind } from './kinds/draftKind.ts'
import { editKind } from './kinds/editKind.ts'
import { followThreadKind } from './kinds/followThreadKind.ts'
import { notificationPreferencesKind } from './kinds/notificationPreferencesKind.ts'
import { preferencesKind } from './kinds/preferencesKind.ts'
import { reactKind } from './kinds/reactKind.ts'
import { readKind } from './kinds/readKind.ts'
import { readThreadKind } from './kinds/readThreadKind.ts'
import { saveMessageKind } from './kinds/saveMessageKind.ts'
import { sectionKind } from './kinds/sectionKind.ts'
import { sendKind } from './kinds/sendKind.ts'
import { unreadKind } from './kinds/unreadKind.ts'
import { unreadThreadKind } from './kinds/unreadThreadKind.ts'
import { isString } from './mutationKind.ts'
import type { MutationKind } from './mutationKind.ts'
import type { Mutation, MutationFields } from './mutation.ts'

/** All kinds of mutations. The names are stored in the outbox and must not change. */
const MUTATION_KINDS: { readonly [K in keyof MutationFields]: MutationKind<K> } = {
  send: sendKind,
  edit: editKind,
  delete: deleteKind,
  react: reactKind,
  read: readKind,
  unread: unreadKind,
  readThread: readThreadKind,
  unreadThread: unreadThreadKind,
  followThread: followThreadKind,
  preferences: preferencesKind,
  notificationPreferences: notificationPreferencesKind,
  section: sectionKind,
  draft: draftKind,
  saveMessage: saveMessageKind,
}

/** The kind of a mutation. */
export function kindOf<K extends keyof MutationFields>({ kind }: { kind: K }): MutationKind<K> {
  return MUTATION_KINDS[kind]
}

/** Key of the queue in which the mutation is executed. */
export function queueKeyOf(mutation: Mutation): string {
  return kindOf(mutation).queueKey(mutation)
}

/**
 * Validates a stored mutation. Null if this version of the app can't read it, for example because a later version has
 * stored it. The mutation stays stored and is ignored, so that it does not fail each start.
 */
export function parseStoredMutation(stored: unknown): Mutation | null {
  return isMutation(stored) ? stored : null
}

function isMutation(stored: unknown): stored is Mutation {
  const mutation = stored as Record<string, unknown> | null
  if (!mutation || !Object.hasOwn(MUTATION_KINDS, String(mutation.kind))) return false
  const fields = MUTATION_KINDS[mutation.kind as Mutation['kind']].fields
  return (
    isString(mutation.id) &&
    isString(mutation.channel) &&
    Number.isFinite(mutation.order) &&
    Number.isFinite(mutation.notBefore) &&
    Object.entries(fields).every(([name, check]) => check(mutation[name]))
  )
}
