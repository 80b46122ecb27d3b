interface Talk {
  id: string
  people: readonly { id: string }[]
}

/** The conversation of exactly these people (the reader left out), where the reader has it in the side. */
export function sameConversation<T extends Talk>(
  talks: readonly T[],
  people: readonly string[],
): T | undefined {
  const wanted = new Set(people)
  return talks.find(
    (talk) => talk.people.length === wanted.size && talk.people.every((person) => wanted.has(person.id)),
  )
}
