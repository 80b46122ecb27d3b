import { useId, useState, type KeyboardEvent, type RefObject } from 'react'
import type { Profile } from '../../../wire/linnet.ts'
import { cachedChannelPeople } from '../channels/useChannelPeople.ts'
import { useMe } from '../members/MeContext.ts'
import { matchPeople, mentionAt, type Mentionable } from './mentionText.ts'

/** One who may be meant; one that calls all has no id. */
export interface MentionChoice extends Mentionable {
  /** Doesn't belong to the conversation, as far as is known. */
  isNonMember?: boolean
}

export interface Mentions {
  /** Who was picked from the list, the latest first: they are meant where two share a name. */
  picked: Mentionable[]
  choices: MentionChoice[]
  highlighted: number
  listId: string
  /** Attributes that tie the field to its list for screen readers. */
  field: Record<string, string | undefined>
  /** Reads the caret again. */
  update: () => void
  close: () => void
  pick: (choice: MentionChoice) => void
  highlight: (highlighted: number) => void
  /** True when the key was the list's. */
  onKeyDown: (event: KeyboardEvent) => boolean
}

interface Options {
  channelId: string
  text: string
  people: Profile[]
  field: RefObject<HTMLTextAreaElement | null>
  onText: (text: string) => void
}

/** The people one may mean by the "@…" at the caret. */
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
    // What was typed since the list was drawn belongs to the call.
    const typed = area && mentionAt(area.value, area.selectionStart)
    if (!area || !typed) return
    // The field itself puts the words in and moves its caret: a key struck at once must come after them.
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

/** Those whose name begins so, people of the conversation before others, then the words that call everyone. */
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
