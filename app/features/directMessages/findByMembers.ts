interface Conversation {
  id: string
  people: readonly { id: string }[]
}

/** The conversation of exactly these people (the reader left out), where the reader has it in the side. */
export function findByMembers<T extends Conversation>(
  conversations: readonly T[],
  people: readonly string[],
): T | undefined {
  const ids = new Set(people)
  return conversations.find(
    (conversation) =>
      conversation.people.length === ids.size && conversation.people.every((person) => ids.has(person.id)),
  )
}
