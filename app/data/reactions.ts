import type { Message, Reaction, Uuid } from '../../wire/linnet.ts'

/** Reactions that were asked for and not answered yet: message → emoji → on. */
const wishes = new Map<Uuid, ReadonlyMap<string, boolean>>()
const painted = new WeakMap<Message, { wish: ReadonlyMap<string, boolean>; message: Message }>()
let version = 0

/** Rises with each wish, so that what is shown is painted again. */
export function wishVersion(): number {
  return version
}

/** Shows the reaction from now on; the returned function ends that, once the row (or a refusal) is here. */
export function wishReaction(messageId: Uuid, emoji: string, on: boolean): () => void {
  wishes.set(messageId, new Map(wishes.get(messageId)).set(emoji, on))
  version += 1
  return () => {
    const mine = wishes.get(messageId)
    // A later wish for the same emoji has its own end.
    if (!mine || mine.get(emoji) !== on) return
    const left = new Map(mine)
    left.delete(emoji)
    if (left.size > 0) wishes.set(messageId, left)
    else wishes.delete(messageId)
    version += 1
  }
}

/** The message as it will be once its wishes are answered; itself when it has none. */
export function withWishes(message: Message): Message {
  const wish = wishes.get(message.id)
  if (!wish) return message
  const known = painted.get(message)
  if (known?.wish === wish) return known.message
  const reactions: Reaction[] = [...message.reactions]
  for (const [emoji, on] of wish) {
    const at = reactions.findIndex((one) => one.emoji === emoji)
    const reaction = reactions[at] ?? { emoji, count: 0, people: [], mine: false }
    if ((reaction.mine === true) === on) continue
    const count = reaction.count + (on ? 1 : -1)
    if (at < 0) reactions.push({ ...reaction, count, mine: on })
    else if (count <= 0) reactions.splice(at, 1)
    else reactions[at] = { ...reaction, count, mine: on }
  }
  const result = { ...message, reactions }
  painted.set(message, { wish, message: result })
  return result
}
