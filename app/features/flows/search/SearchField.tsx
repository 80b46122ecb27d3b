import { i18n } from '@lingui/core'
import Search from 'lucide-react/icons/search'
import X from 'lucide-react/icons/x'
import { useId, useState, type KeyboardEvent, type RefObject } from 'react'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { replaceText } from '../../../ui/replaceText.ts'
import { isComposing } from '../../../ui/isComposing.ts'
import { TOUCH } from '../../../ui/useMedia.ts'
import type { Choice } from '../../conversation/writing/completion/Choice.ts'
import { CompletionList } from '../../conversation/writing/completion/CompletionList.tsx'
import { applyCompletion, searchCompletionAt } from './completeQuery.ts'
import { MAX_QUERY, type QueryContext } from './parseQuery.ts'
import styles from './SearchField.module.css'
import { suggest } from './suggest.tsx'

interface Props {
  field: RefObject<HTMLInputElement | null>
  text: string
  context: QueryContext
  onChange: (text: string) => void
  /** Enter: the search is complete. */
  onCommit: () => void
  /** The arrow key to the results. */
  onDown: () => void
}

/** The field of a search, with suggestions for the filter at the caret. */
export function SearchField({ field, text, context, onChange, onCommit, onDown }: Props) {
  const listId = useId()
  const [caret, setCaret] = useState<number | null>(null)
  const [highlighted, setHighlighted] = useState<number | null>(null)
  const completion = caret === null ? null : searchCompletionAt(text, caret)
  const choices = completion ? choicesFor(text, completion, context) : []
  const isOpen = choices.length > 0
  // A value is chosen by Enter; a word that could become an operator is searched.
  const first = completion?.operator === null ? -1 : 0
  const at = Math.min(highlighted ?? first, choices.length - 1)

  /** After the browser has moved the caret. */
  const readCaret = () => setCaret(field.current?.selectionStart ?? null)

  function pick(choice: Choice) {
    if (!completion) return
    const next = applyCompletion(text, completion, choice.insert)
    // At once: what is typed next belongs behind it.
    if (field.current)
      replaceText(field.current, { from: 0, to: text.length, insert: next.text, start: next.caret })
    setCaret(next.caret)
  }

  function onKeyDown(event: KeyboardEvent) {
    if (isComposing(event.nativeEvent) || event.altKey || event.ctrlKey || event.metaKey) return
    const chosen = isOpen && !event.shiftKey ? choices[at] : undefined
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (isOpen) {
        const step = event.key === 'ArrowDown' ? 1 : -1
        setHighlighted((Math.max(at, step > 0 ? -1 : 0) + step + choices.length) % choices.length)
      } else if (event.key === 'ArrowDown') onDown()
      else return
    } else if (event.key === 'Escape' && isOpen) setCaret(null)
    else if ((event.key === 'Enter' || event.key === 'Tab') && chosen) pick(chosen)
    else if (event.key === 'Enter') {
      setCaret(null)
      onCommit()
      // The keyboard of a phone would cover the results.
      if (matchMedia(TOUCH).matches) field.current?.blur()
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div className={styles.field}>
      <Icon of={Search} />
      <input
        ref={field}
        className={styles.input}
        type="text"
        role="combobox"
        aria-label={i18n._('Search messages')}
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && at >= 0 ? `${listId}-${at}` : undefined}
        placeholder={i18n._('Search messages')}
        enterKeyHint="search"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        dir="auto"
        maxLength={MAX_QUERY}
        value={text}
        onChange={(event) => {
          onChange(event.currentTarget.value)
          setHighlighted(null)
          readCaret()
        }}
        onKeyDown={onKeyDown}
        onKeyUp={({ key }) => {
          if (key === 'ArrowLeft' || key === 'ArrowRight' || key === 'Home' || key === 'End') readCaret()
        }}
        onClick={readCaret}
        onBlur={() => setCaret(null)}
      />
      {text ? (
        <IconButton
          label={i18n._('Clear search')}
          icon={<Icon of={X} />}
          className={styles.clear}
          onClick={() => {
            onChange('')
            field.current?.focus()
          }}
        />
      ) : null}
      {isOpen ? (
        <CompletionList
          id={listId}
          label={i18n._('Suggestions')}
          isBelow
          choices={choices}
          highlighted={at}
          onHighlight={setHighlighted}
          onPick={pick}
        />
      ) : null}
    </div>
  )
}

/** None if what is typed is the only suggestion. */
function choicesFor(
  text: string,
  completion: NonNullable<ReturnType<typeof searchCompletionAt>>,
  context: Props['context'],
): Choice[] {
  const choices = suggest(completion, context)
  const typed = text.slice(completion.start, completion.end).toLowerCase()
  return choices.some(({ insert }) => insert.toLowerCase() === typed) ? [] : choices
}
