interface Conversation {
  id: string
  people: readonly { id: string }[]
}

/** The conversation with exactly these people, without the reader, if it is in the sidebar. */
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
