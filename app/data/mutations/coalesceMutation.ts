import type { Uuid } from '../../../wire/scalars.ts'
import type { Failure } from '../failures/failures.ts'
import { createMutation, toPending } from './mutation.ts'
import type { Mutation, MutationInput, Mutations } from './mutation.ts'
import { kindOf, queueKeyOf } from './mutationKinds.ts'

/**
 * Adds a mutation, and removes or changes unsent ones that it reverts, changes or supersedes. Pure, since it runs in a
 * transaction of the storage that all tabs share. `now` is this device's clock in ms.
 */
export function coalesceMutation(mutations: Mutations, input: MutationInput, now: number): Mutations {
  const { coalesce } = kindOf(input)
  const create = (changed = input) => createMutation(changed, mutations, now)
  if (coalesce !== 'replaceUnsent')
    return coalesce(mutations, input, (others, changed) => [...others, create(changed)])
  const added = create()
  const isReplaced = (one: Mutation) => !one.maybeSent && queueKeyOf(one) === queueKeyOf(added)
  return [...mutations.filter((one) => !isReplaced(one)), added]
}

/** Records that a mutation is being sent: from now on it may have reached the server, so it cannot be coalesced. */
export function markTried(mutations: Mutations, id: Uuid): Mutations {
  return mutations.map((mutation) =>
    mutation.id === id && !mutation.maybeSent ? { ...mutation, maybeSent: true } : mutation,
  )
}

/** Removes a mutation that was executed, unless it has changed since it was sent. */
export function removeDone(mutations: Mutations, executed: Mutation): Mutations {
  return mutations.filter(
    (mutation) => mutation.id !== executed.id || mutation.revision !== executed.revision,
  )
}

/** Handles the rejection of a mutation, unless it has changed since. `executed` is the mutation before it was sent. */
export function markRejected(mutations: Mutations, executed: Mutation, failure: Failure): Mutations {
  const rejected = mutations.find((mutation) => mutation.id === executed.id)
  if (!rejected || rejected.revision !== executed.revision) return mutations
  const { reject } = kindOf(rejected)
  return reject
    ? reject(mutations, rejected, failure, executed.maybeSent)
    : mutations.filter((mutation) => mutation !== rejected)
}

/** Makes a rejected mutation pending again. */
export function resetForRetry(mutations: Mutations, id: Uuid): Mutations {
  return mutations.map((mutation) =>
    mutation.id === id && mutation.state === 'failed'
      ? (kindOf(mutation).retry ?? toPending)(mutation)
      : mutation,
  )
}

/** Removes a mutation that its author discards. `newId` and `now` are for a mutation that this adds. */
export function discardMutation(mutations: Mutations, id: Uuid, newId: Uuid, now: number): Mutations {
  const found = mutations.find((mutation) => mutation.id === id)
  if (!found) return mutations
  const { discard } = kindOf(found)
  return discard ? discard(mutations, found, newId, now) : mutations.filter((mutation) => mutation !== found)
}
