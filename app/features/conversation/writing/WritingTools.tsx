import { i18n } from '@lingui/core'
import { useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react'
import { replaceText } from '../../../ui/replaceText.ts'
import { TOUCH } from '../../../ui/useMedia.ts'
import { isComposing } from '../../../ui/isComposing.ts'
import { Body } from '../../parts/body/Body.tsx'
import type { Choice } from './completion/Choice.ts'
import { completionAt, shortcodeAt } from './completion/completionAt.ts'
import { emojiOfShortcode } from '../../parts/emoji/suggestEmoji.ts'
import { parseSlashCommand } from '../slashCommands/parseSlashCommand.ts'
import { encodeMentions, type Mentionable } from '../../../../wire/body/encodeMentions.ts'
import { namesakeMention } from '../../parts/body/mentionText.ts'
import { htmlToMarkdown } from './paste/htmlToMarkdown.ts'
import { FormatBar } from './FormatBar.tsx'
import styles from './FormatBar.module.css'
import { FORMATS, formatOf, type Format } from './formats.ts'
import { isLongText, LongTextNotice, textFile } from './LongTextNotice.tsx'
import {
  indent,
  insertLine,
  isInFence,
  outdent,
  pasteLink,
  type TextEdit,
  type TextState,
} from './textEdits.ts'
import { CommandHint, useCompletion } from './useCompletion.tsx'

interface Props {
  field: RefObject<HTMLTextAreaElement | null>
  channelId: string
  threadRoot?: string | null
  /** People and channels that the text can mention, as in `encodeMentions`. */
  mentionable: readonly Mentionable[]
  /** The name of a suggestion was inserted, which `mentionable` may lack: a channel that the person has not joined. */
  onPick: (mentioned: Mentionable) => void
  /** The field was emptied by a message that was sent, which is no input. */
  isEmpty: boolean
  /** Whether the text can be a slash command. */
  commands?: boolean
  isFormatBarShown?: boolean
  /** Attaches files; absent where a text can have none. */
  onFiles?: (files: File[]) => void
}

const COMMAND_WITH_SPACE = /^\/[a-z][\w-]{0,31}\s/i

/**
 * What helps with writing Markdown in a text area: completion, formats and their keys, lists that continue, preview, and
 * pasting. It listens to the field itself and prevents the default of the events that it handles, before React's handlers
 * run. Loaded on demand: without it the field is a plain one.
 */
export default function WritingTools(props: Props) {
  const {
    field,
    channelId,
    threadRoot = null,
    mentionable,
    isEmpty,
    commands = false,
    isFormatBarShown = false,
    onFiles,
  } = props
  const [command, setCommand] = useState<string | null>(null)
  const [preview, setPreview] = useState<string | null>(null)
  const [longText, setLongText] = useState<string | null>(null)
  const completion = useCompletion({
    field,
    channelId,
    threadRoot,
    isEmpty,
    onPick: (choice) => pick(choice),
  })
  const { trigger, setTrigger } = completion
  /** Whether the paste that follows was requested as plain text. */
  const isPlainPaste = useRef(false)

  const change = (edit: TextEdit | null): boolean => {
    if (!edit || !field.current) return false
    replaceText(field.current, edit)
    return true
  }
  const close = () => setTrigger(null)

  /** Reads what is being typed at the caret. */
  const read = () => {
    const area = field.current
    if (!area) return
    const { value, selectionStart, selectionEnd } = area
    setTrigger(selectionStart === selectionEnd ? completionAt(value, selectionStart, commands) : null)
    setCommand(commands && COMMAND_WITH_SPACE.test(value.slice(0, 40)) ? parseSlashCommand(value).name : null)
    if (longText !== null && !value.includes(longText)) setLongText(null)
  }

  const pick = (choice: Choice) => {
    const area = field.current
    // What was typed since the list was rendered is part of the query.
    const typed = area && completionAt(area.value, area.selectionStart, commands)
    if (!area || typed?.kind !== trigger?.kind || !typed) return
    const { mentioned } = choice
    const encoded = mentioned ? namesakeMention(mentioned, mentionable) : null
    change(insertionOf(typed.from, area.selectionStart, `${encoded ?? choice.insert} `))
    close()
    if (mentioned && encoded === null) props.onPick(mentioned)
    choice.onPick?.()
  }

  const format = (name: Format) => {
    if (field.current) change(FORMATS[name].edit(stateOf(field.current)))
  }

  const onFormatKey = (event: KeyboardEvent, area: HTMLTextAreaElement): boolean => {
    const name = formatOf(event)
    // Without a selection this key opens the command palette.
    if (!name || (name === 'link' && area.selectionStart === area.selectionEnd)) return false
    format(name)
    return true
  }

  const onLineKey = (event: KeyboardEvent, area: HTMLTextAreaElement): boolean => {
    if (hasModifier(event)) return false
    const state = stateOf(area)
    if (event.key === 'Tab') return change(event.shiftKey ? outdent(state) : indent(state))
    if (event.key !== 'Enter') return false
    const makesLine = event.shiftKey || matchMedia(TOUCH).matches || isInFence(state.text, state.start)
    return makesLine && change(insertLine(state))
  }

  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    isPlainPaste.current = event.shiftKey && (event.ctrlKey || event.metaKey) && event.code === 'KeyV'
    const area = field.current
    if (!area || isComposing(event) || event.defaultPrevented) return
    if (completion.onKey(event) || onFormatKey(event, area) || onLineKey(event, area)) event.preventDefault()
  })

  /** Keyboards of phones may send no usable key. */
  const onBeforeInput = useEffectEvent((event: InputEvent) => {
    // oxlint-disable-next-line no-restricted-properties -- an input event is no key
    if (event.inputType !== 'insertLineBreak' || event.isComposing || !field.current) return
    if (change(insertLine(stateOf(field.current)))) event.preventDefault()
  })

  const onPaste = useEffectEvent((event: ClipboardEvent) => {
    const area = field.current
    const data = event.clipboardData
    if (!area || !data || data.files.length > 0 || event.defaultPrevented) return
    const plain = data.getData('text/plain')
    const isPlain = isPlainPaste.current
    isPlainPaste.current = false
    const edit = isPlain ? null : pasteEdit(stateOf(area), plain, data.getData('text/html'))
    if (edit) {
      event.preventDefault()
      change(edit)
    }
    const text = edit?.insert ?? plain
    if (onFiles && isLongText(text)) setLongText(text.replaceAll(/\r\n?/g, '\n'))
  })

  const attachLongText = () => {
    const area = field.current
    const from = area && longText !== null ? area.value.indexOf(longText) : -1
    if (longText === null || !onFiles) return
    if (from >= 0) change(insertionOf(from, from + longText.length, ''))
    setLongText(null)
    onFiles([textFile(longText)])
  }

  /** Replaces `:tada:` when its second colon is typed. */
  const replaceShortcode = async () => {
    const area = field.current
    const typed = area && shortcodeAt(area.value, area.selectionStart)
    if (!area || !typed) return
    const { value, selectionStart } = area
    const emoji = await emojiOfShortcode(typed.name).catch(() => null)
    const isUnchanged = area.value === value && area.selectionStart === selectionStart
    if (emoji && isUnchanged && !emoji.startsWith(':')) change(insertionOf(typed.from, selectionStart, emoji))
  }

  const onInput = useEffectEvent((event?: Event) => {
    read()
    // oxlint-disable-next-line no-restricted-properties -- an input event is no key
    if (event instanceof InputEvent && event.data === ':' && !event.isComposing) void replaceShortcode()
  })
  const onBlur = useEffectEvent(close)
  const onCaretKey = useEffectEvent((event: KeyboardEvent) => {
    if (['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(event.key)) read()
  })
  const endPreview = useEffectEvent(() => setPreview(null))
  useEffect(() => {
    const area = field.current
    if (!area) return
    const controller = new AbortController()
    const { signal } = controller
    area.addEventListener('keydown', (event) => onKeyDown(event), { signal })
    area.addEventListener('keyup', (event) => onCaretKey(event), { signal })
    area.addEventListener('beforeinput', (event) => onBeforeInput(event), { signal })
    // After React's handler: a change of state before it would let React render the field with the text before this key.
    document.addEventListener('input', (event) => void (event.target === area && onInput(event)), { signal })
    area.addEventListener('click', () => onInput(), { signal })
    area.addEventListener('blur', () => onBlur(), { signal })
    area.addEventListener('paste', (event) => onPaste(event), { signal })
    area.form?.addEventListener('submit', () => endPreview(), { signal })
    // Text typed before this module was loaded.
    const frame = requestAnimationFrame(() => onInput())
    return () => {
      cancelAnimationFrame(frame)
      controller.abort()
    }
  }, [field])

  const togglePreview = () => {
    const area = field.current
    if (preview === null && area) return setPreview(encodeMentions(area.value, mentionable))
    setPreview(null)
    requestAnimationFrame(() => area?.focus({ preventScroll: true }))
  }

  return (
    <>
      {completion.list ??
        (command === null || isEmpty ? null : (
          <CommandHint name={command} channelId={channelId} threadRoot={threadRoot} />
        ))}
      {isFormatBarShown ? (
        <FormatBar isPreviewing={preview !== null} onFormat={format} onPreview={togglePreview} />
      ) : null}
      {preview === null ? null : (
        <section className={styles.preview} data-preview aria-label={i18n._('Preview')}>
          {preview.trim() ? (
            <Body body={preview} />
          ) : (
            <p className={styles.empty}>{i18n._('Nothing to preview.')}</p>
          )}
        </section>
      )}
      {longText === null || isEmpty ? null : (
        <LongTextNotice onAttach={attachLongText} onKeep={() => setLongText(null)} />
      )}
    </>
  )
}

function stateOf({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): TextState {
  return { text: value, start: selectionStart, end: selectionEnd }
}

function insertionOf(from: number, to: number, insert: string): TextEdit {
  const caret = from + insert.length
  return { from, to, insert, start: caret, end: caret }
}

function hasModifier({ ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey
}

/** An address over selected text is a link, HTML is Markdown; null: the browser pastes plain text. */
function pasteEdit(state: TextState, plain: string, html: string): TextEdit | null {
  const link = pasteLink(state, plain)
  if (link || html === '' || isInFence(state.text, state.start)) return link
  const markdown = htmlToMarkdown(html)
  return markdown === null ? null : insertionOf(state.start, state.end, markdown)
}
