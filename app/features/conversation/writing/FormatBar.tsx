import { i18n } from '@lingui/core'
import Bold from 'lucide-react/icons/bold'
import Code from 'lucide-react/icons/code'
import Eye from 'lucide-react/icons/eye'
import Italic from 'lucide-react/icons/italic'
import Link from 'lucide-react/icons/link'
import List from 'lucide-react/icons/list'
import ListOrdered from 'lucide-react/icons/list-ordered'
import ListTodo from 'lucide-react/icons/list-todo'
import SquareCode from 'lucide-react/icons/square-code'
import Strikethrough from 'lucide-react/icons/strikethrough'
import TextQuote from 'lucide-react/icons/text-quote'
import { useState, type KeyboardEvent } from 'react'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { TOUCH_PHONE, useMedia } from '../../../ui/useMedia.ts'
import { commandKey } from '../../parts/shortcuts/commandKey.ts'
import { formatNames, FORMATS, type Format } from './formats.ts'
import styles from './FormatBar.module.css'

interface Props {
  /** The formats at the caret; absent in a field that does not show them. */
  active?: ReadonlySet<Format>
  isPreviewing?: boolean
  onFormat: (format: Format) => void
  /** Absent in a field that shows formats. */
  onPreview?: () => void
}

const ICONS = {
  bold: Bold,
  italic: Italic,
  strike: Strikethrough,
  code: Code,
  codeBlock: SquareCode,
  link: Link,
  quote: TextQuote,
  bullets: List,
  numbers: ListOrdered,
  tasks: ListTodo,
}

/** Buttons that format the selected text, one tab stop. On touch devices they are one row that scrolls sideways. */
export function FormatBar({ active, isPreviewing = false, onFormat, onPreview }: Props) {
  const [current, setCurrent] = useState(0)
  const isTouchPhone = useMedia(TOUCH_PHONE)
  const names = formatNames()

  function onKeyDown(event: KeyboardEvent<HTMLDivElement>) {
    const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('button:enabled')]
    const isReversed = getComputedStyle(event.currentTarget).direction === 'rtl'
    const steps: Record<string, number> = { ArrowRight: isReversed ? -1 : 1, ArrowLeft: isReversed ? 1 : -1 }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
    buttons[(at + step + buttons.length) % buttons.length]?.focus()
  }
  const buttonProps = (index: number) => ({
    tabIndex: index === (isPreviewing ? names.length : current) ? 0 : -1,
    onFocus: () => setCurrent(index),
    // The field keeps the focus and its selection, and a phone its keyboard.
    onMouseDown: (event: { preventDefault: () => void }) => event.preventDefault(),
  })

  return (
    // oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- one of its buttons has the focus
    <div role="toolbar" aria-label={i18n._('Formatting')} className={styles.formats} onKeyDown={onKeyDown}>
      {names.map(([format, name], index) => {
        const { keys } = FORMATS[format]
        return (
          <IconButton
            key={format}
            {...buttonProps(index)}
            label={name}
            {...(keys ? { keys: commandKey(keys) } : {})}
            icon={<Icon of={ICONS[format]} />}
            disabled={isPreviewing}
            {...(active ? { 'aria-pressed': active.has(format) } : {})}
            onClick={() => onFormat(format)}
          />
        )
      })}
      {onPreview && !isTouchPhone ? (
        <IconButton
          {...buttonProps(names.length)}
          label={i18n._('Preview')}
          icon={<Icon of={Eye} />}
          aria-pressed={isPreviewing}
          onClick={onPreview}
        />
      ) : null}
    </div>
  )
}
