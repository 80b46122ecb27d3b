import { i18n } from '@lingui/core'
import { useEffect, useId, useState, type ReactNode, type RefObject } from 'react'
import { announce } from '../../../ui/announce.ts'
import type { Choice } from './completion/Choice.ts'
import type { Trigger } from './completion/completionAt.ts'
import { CompletionList } from './completion/CompletionList.tsx'
import { useChoices, useSlashCommands } from './completion/useChoices.tsx'
import styles from './FormatBar.module.css'

interface Options {
  /** The element that has the focus and names the chosen suggestion. */
  field: RefObject<HTMLElement | null>
  channelId: string
  threadRoot: string | null
  /** The field has no text. */
  isEmpty: boolean
  onPick: (choice: Choice) => void
}

interface Completion {
  /** What is being typed at the caret; null: nothing that can be completed. */
  trigger: Trigger | null
  setTrigger: (trigger: Trigger | null) => void
  /** Whether a key chooses or inserts a suggestion. */
  onKey: (event: KeyboardEvent) => boolean
  /** The suggestions. */
  list: ReactNode
}

/** The suggestions for what is being typed in a field. */
export function useCompletion({ field, channelId, threadRoot, isEmpty, onPick }: Options): Completion {
  const listId = useId()
  const [trigger, setTrigger] = useState<Trigger | null>(null)
  const [highlighted, setHighlighted] = useState(0)
  const choices = useChoices(trigger, channelId, threadRoot)
  const isOpen = !isEmpty && trigger !== null && choices.length > 0
  const chosen = Math.min(highlighted, choices.length - 1)

  const onKey = (event: KeyboardEvent): boolean => {
    const choice = choices[chosen]
    if (!isOpen || !choice || event.ctrlKey || event.metaKey || event.altKey) return false
    if (event.key === 'ArrowDown') setHighlighted((chosen + 1) % choices.length)
    else if (event.key === 'ArrowUp') setHighlighted((chosen + choices.length - 1) % choices.length)
    else if (event.key === 'Escape') setTrigger(null)
    else if (event.key === 'Tab' && !event.shiftKey) onPick(choice)
    else if (event.key === 'Enter' && !event.shiftKey && !isWholeSlashCommand(trigger, choice)) onPick(choice)
    else return false
    return true
  }

  const activeOption = isOpen ? `${listId}-${chosen}` : null
  useEffect(() => {
    const element = field.current
    element?.setAttribute('aria-autocomplete', 'list')
    element?.setAttribute('aria-haspopup', 'listbox')
    setOrRemove(element, 'aria-controls', activeOption && listId)
    setOrRemove(element, 'aria-activedescendant', activeOption)
  }, [field, listId, activeOption])
  useEffect(() => {
    // A text area has no state "expanded".
    if (isOpen) announce(i18n._('Suggestions available. Arrow keys choose one, Enter or Tab inserts it.'))
  }, [isOpen])

  return {
    trigger,
    setTrigger: (next) => {
      setHighlighted(0)
      setTrigger(next)
    },
    onKey,
    list: isOpen ? (
      <CompletionList
        id={listId}
        label={labelOf(trigger.kind)}
        choices={choices}
        highlighted={chosen}
        onHighlight={setHighlighted}
        onPick={onPick}
      />
    ) : null,
  }
}

/** What can follow the command that is being written. */
export function CommandHint({
  name,
  channelId,
  threadRoot,
}: {
  name: string
  channelId: string
  threadRoot: string | null
}) {
  const command = useSlashCommands(channelId, threadRoot).find((one) => one.name === name)
  if (!command || !(command.hint || command.botName)) return null
  return (
    <p className={styles.notice}>
      /{command.name} {command.hint} · {command.description}
      {command.botName ? ` · ${command.botName}` : null}
    </p>
  )
}

/** Enter runs a command whose name is typed. */
function isWholeSlashCommand(trigger: Trigger | null, { key }: Choice): boolean {
  return trigger?.kind === 'command' && trigger.query.toLowerCase() === key
}

function setOrRemove(element: Element | null, name: string, value: string | null): void {
  if (value === null) element?.removeAttribute(name)
  else element?.setAttribute(name, value)
}

function labelOf(kind: Trigger['kind']): string {
  switch (kind) {
    case 'person':
      return i18n._('People')
    case 'channel':
      return i18n._('Channels')
    case 'emoji':
      return i18n._('Emoji')
    case 'command':
      return i18n._('Commands')
  }
}
