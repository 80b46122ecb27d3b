import { useId, useState, type KeyboardEvent, type RefObject } from 'react'
import type { Profile } from '../../../wire/people.ts'
import { cachedChannelPeople } from '../channels/useChannelPeople.ts'
import { useMe } from '../members/MeContext.ts'
import { matchPeople, mentionAt, type Mentionable } from './mentionText.ts'

/** A suggestion; a mass mention has no id. */
export interface MentionChoice extends Mentionable {
  /** Not a member of the conversation, as far as is known. */
  isNonMember?: boolean
}

export interface Mentions {
  /** People picked from the list, the latest first: they are used where two people share a name. */
  picked: Mentionable[]
  choices: MentionChoice[]
  highlighted: number
  listId: string
  /** Attributes that connect the field with its list for screen readers. */
  field: Record<string, string | undefined>
  /** Reads the caret position again. */
  update: () => void
  close: () => void
  pick: (choice: MentionChoice) => void
  highlight: (highlighted: number) => void
  /** Returns true if the list handled the key. */
  onKeyDown: (event: KeyboardEvent) => boolean
}

interface Options {
  channelId: string
  text: string
  people: Profile[]
  field: RefObject<HTMLTextAreaElement | null>
  onText: (text: string) => void
}

/** Suggestions for the "@…" at the caret. */
export function useMentions({ channelId, text, people, field, onText }: Options): Mentions {
  const me = useMe()
  const listId = useId()
  const [caret, setCaret] = useState<number | null>(null)
  const [at, setAt] = useState(0)
  const [picked, setPicked] = useState<Mentionable[]>([])
  const mention = caret === null ? null : mentionAt(text, caret)
  const choices = mention ? choicesFor(mention.query, people, channelId, me.profile.id) : []
  const open = choices.length > 0
  const chosen = Math.min(at, choices.length - 1)

  function pick(choice: MentionChoice) {
    const area = field.current
    // What was typed since the list was rendered is part of the query.
    const typed = area && mentionAt(area.value, area.selectionStart)
    if (!area || !typed) return
    // `setRangeText` moves the caret at once, so that the next key is inserted after the name.
    area.setRangeText(`@${choice.name} `, typed.from, area.selectionStart, 'end')
    area.focus({ preventScroll: true })
    onText(area.value)
    setCaret(null)
    if (choice.id) setPicked((now) => [choice, ...now.filter((one) => one.id !== choice.id)])
  }

  return {
    picked,
    choices,
    highlighted: chosen,
    listId,
    field: {
      'aria-autocomplete': 'list',
      'aria-controls': open ? listId : undefined,
      'aria-activedescendant': open ? `${listId}-${chosen}` : undefined,
    },
    update: () => {
      const area = field.current
      setAt(0)
      setCaret(area && area.selectionStart === area.selectionEnd ? area.selectionStart : null)
    },
    close: () => setCaret(null),
    pick,
    highlight: setAt,
    onKeyDown: (event) => {
      if (!open) return false
      const choice = choices[chosen]
      if (event.key === 'ArrowDown') setAt((chosen + 1) % choices.length)
      else if (event.key === 'ArrowUp') setAt((chosen + choices.length - 1) % choices.length)
      else if (event.key === 'Escape') setCaret(null)
      else if ((event.key === 'Enter' || event.key === 'Tab') && choice) pick(choice)
      else return false
      event.preventDefault()
      event.stopPropagation()
      return true
    },
  }
}

/** People whose name matches, members of the conversation first, then mass mentions. */
function choicesFor(
  query: string,
  profiles: readonly Profile[],
  channelId: string,
  me: string,
): MentionChoice[] {
  const people = cachedChannelPeople(channelId)
  const memberIds = people && new Set(people.map((one) => one.profile_id))
  const others = profiles
    .filter((person) => person.id !== me)
    .map(({ id, name }) => ({ id, name, outside: memberIds !== null && !memberIds.has(id) }))
    .sort((a, b) => Number(a.outside) - Number(b.outside))
  const everyone = [
    { id: '', name: 'channel' },
    { id: '', name: 'here' },
  ]
  return [
    ...matchPeople<MentionChoice>(others, query),
    ...(query ? matchPeople<MentionChoice>(everyone, query) : []),
  ]
}
