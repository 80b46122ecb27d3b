import { i18n } from '@lingui/core'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { useId, useState } from 'react'
import type { Message } from '../../../../../wire/messages.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { useProfile } from '../../../../data/people/people.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import styles from './SystemMessage.module.css'
import SystemMessage from './SystemMessage.tsx'

/** Consecutive messages of people who joined or left: one line, which expands to all of them. */
export default function MembershipRun({ messages }: { messages: Message[] }) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const first = useProfile(messages[0]?.author_id ?? '')
  return (
    <>
      <button
        type="button"
        className={styles.run}
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        {summaryOf(messages, isolateBidi(first?.name ?? i18n._('Someone')))}
        <Icon of={ChevronRight} />
      </button>
      <div id={id} hidden={!open}>
        {open ? messages.map((message) => <SystemMessage key={message.id} message={message} />) : null}
      </div>
    </>
  )
}

function summaryOf(messages: Message[], name: string): string {
  const people = new Set(messages.map((message) => message.author_id)).size
  const count = people - 1
  const events = new Set(messages.map((message) => message.system?.event))
  if (people > 1 && events.size === 1)
    return events.has('joined')
      ? i18n._('{count, plural, one {{name} and # other joined.} other {{name} and # others joined.}}', {
          name,
          count,
        })
      : i18n._('{count, plural, one {{name} and # other left.} other {{name} and # others left.}}', {
          name,
          count,
        })
  return i18n._('{people, plural, one {# person joined or left.} other {# people joined or left.}}', {
    people,
  })
}
