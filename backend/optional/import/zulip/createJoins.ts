import { ExportError } from '../ExportError.ts'

/** When people joined streams that hide older messages. Times are in microseconds. */
export interface Joins {
  /** Adds the time at which a person joined. Somebody who left and joined again cannot read what was written in between. */
  addJoin(stream: number, person: number, at: number): void
  /** Adds the time of a message. Only the first one of a person in a stream is stored. */
  addMessage(stream: number, person: number, at: number): void
  /**
   * When a person joined: the last time that the export has, else the first message of the person. Infinity: the export has neither.
   */
  of(stream: number, person: number): { at: number; isEvent: boolean }
}

const maxJoins = 1_000_000

/** @param isNeeded whether a stream hides older messages, or is not known yet */
export function createJoins(isNeeded: (stream: number) => boolean): Joins {
  const events = createTimes()
  const messages = createTimes()
  return {
    addJoin(stream, person, at) {
      if (isNeeded(stream)) events.set(stream, person, Math.max(at, events.get(stream, person) ?? at))
    },
    addMessage(stream, person, at) {
      if (isNeeded(stream)) messages.set(stream, person, Math.min(at, messages.get(stream, person) ?? at))
    },
    of(stream, person) {
      const event = events.get(stream, person)
      const at = event ?? messages.get(stream, person) ?? Number.POSITIVE_INFINITY
      return { at, isEvent: event !== undefined }
    },
  }
}

function createTimes(): {
  get(stream: number, person: number): number | undefined
  set(stream: number, person: number, at: number): void
} {
  const times = new Map<number, Map<number, number>>()
  let count = 0
  return {
    get: (stream, person) => times.get(stream)?.get(person),
    set(stream, person, at) {
      const people = times.get(stream) ?? new Map<number, number>()
      times.set(stream, people)
      if (!people.has(person) && ++count > maxJoins)
        throw new ExportError(
          `The export has more than ${maxJoins} memberships of streams that hide messages.`,
        )
      people.set(person, at)
    },
  }
}
