import { ExportError } from '../ExportError.ts'

/** The reactions of an export by their messages. They are stored as numbers, since an export can have millions. */
export interface Reactions {
  add(message: number, person: number, emoji: string): void
  /** The reactions of a message, in the order in which they were added. */
  of(message: number): { emoji: string; people: string[] }[]
}

/** A number of 53 bits has the id of a message and a row. */
const rowBits = 22
const maxRows = 2 ** rowBits
const maxEmoji = 50_000
const maxEmojiOfMessage = 50
const maxPeopleOfEmoji = 1_000
/** Ids of messages and people in Zulip. */
const maxId = 2 ** 31

export function createReactions(limit = maxRows): Reactions {
  let people = new Uint32Array(1_024)
  let emoji = new Uint16Array(1_024)
  let keys = new Float64Array(1_024)
  let count = 0
  let isSorted = true
  const names: string[] = []
  const numbers = new Map<string, number>()
  const grow = (): void => {
    const [morePeople, moreEmoji, moreKeys] = [
      new Uint32Array(count * 2),
      new Uint16Array(count * 2),
      new Float64Array(count * 2),
    ]
    morePeople.set(people)
    moreEmoji.set(emoji)
    moreKeys.set(keys)
    ;[people, emoji, keys] = [morePeople, moreEmoji, moreKeys]
  }
  return {
    add(message, person, name) {
      const isId = (id: number): boolean => Number.isInteger(id) && id > 0 && id < maxId
      if (!isId(message) || !isId(person)) return
      if (count >= limit) throw new ExportError(`The export has more than ${limit} reactions.`)
      let number = numbers.get(name)
      if (number === undefined) {
        if (names.length >= maxEmoji) throw new ExportError(`The export has more than ${maxEmoji} emoji.`)
        number = names.push(name) - 1
        numbers.set(name, number)
      }
      if (count === keys.length) grow()
      keys[count] = message * maxRows + count
      people[count] = person
      emoji[count++] = number
      isSorted = false
    },
    of(message) {
      if (!isSorted) keys.subarray(0, count).sort()
      isSorted = true
      let [low, high] = [0, count]
      while (low < high) {
        const middle = (low + high) >>> 1
        if (keys[middle]! < message * maxRows) low = middle + 1
        else high = middle
      }
      const found = new Map<string, string[]>()
      for (let at = low; at < count && keys[at]! < (message + 1) * maxRows; at++) {
        const row = keys[at]! % maxRows
        const name = names[emoji[row]!]!
        const list = found.get(name)
        if (list === undefined && found.size < maxEmojiOfMessage) found.set(name, [String(people[row])])
        else if (list !== undefined && list.length < maxPeopleOfEmoji) list.push(String(people[row]))
      }
      return Array.from(found, ([name, list]) => ({ emoji: name, people: list }))
    },
  }
}
