import type { Uuid } from '../../../wire/linnet.ts'
import type { State } from './state.ts'

/**
 * What was held when something was asked. Only of that does absence from the answer mean an end; and an answer
 * whose revs are below these was not overtaken: the home itself was restored from a copy.
 */
export interface Known {
  /** Each channel's rev. */
  channels: ReadonlyMap<Uuid, number>
  /** Each thread's `read_version`, by root. */
  threads: ReadonlyMap<Uuid, number>
}

/** Nothing was held: absence ends nothing. */
export const NOTHING_KNOWN: Known = { channels: new Map(), threads: new Map() }

/** What is held now, to be handed over with the answer to what is asked now. */
export function knownOf(state: State): Known {
  return {
    channels: new Map([...state.channels].map(([id, { entry }]) => [id, entry.counters.rev])),
    threads: new Map([...state.threads].map(([root, thread]) => [root, thread.read_version])),
  }
}
