import { closeHistory } from 'prosemirror-history'
import { Slice } from 'prosemirror-model'
import { Selection, TextSelection, type Command, type Transaction } from 'prosemirror-state'
import { EditorView } from 'prosemirror-view'
import {
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { createPortal, flushSync } from 'react-dom'
import { cx } from '../../../../ui/cx.ts'
import { isComposing } from '../../../../ui/isComposing.ts'
import { TOUCH } from '../../../../ui/useMedia.ts'
import { loadEmojiNames } from '../../../parts/emoji/emojiNames.ts'
import { emojiOfShortcode } from '../../../parts/emoji/suggestEmoji.ts'
import { parseSlashCommand } from '../../slashCommands/parseSlashCommand.ts'
import type { Choice } from '../completion/Choice.ts'
import { completionAt, shortcodeAt, type Trigger } from '../completion/completionAt.ts'
import { FormatBar } from '../FormatBar.tsx'
import { formatOf, type Format } from '../formats.ts'
import { isLongText, LongTextNotice, textFile } from '../LongTextNotice.tsx'
import type { MessageFieldProps } from '../MessageFieldProps.ts'
import { CommandHint, useCompletion } from '../useCompletion.tsx'
import { bodyOfDoc, docOfBody, isCommandDoc } from './body.ts'
import { createState, LONG_PASTE, longPasteOf } from './createState.ts'
import { activeFormats, formatCommand, linkAt, linkCommand } from './formatCommands.ts'
import { beginCode, newLine, newLineInCode } from './lineCommands.ts'
import { lineAround } from './lines.ts'
import { LinkForm } from './LinkForm.tsx'
import { copySlice, pasteTransaction, plainText } from './paste.ts'
import { PillContent } from './PillContent.tsx'
import { createPills } from './pills.ts'
import styles from './RichField.module.css'
import { schema, textBefore } from './schema.ts'

const { nodes } = schema
/** The text of a longer document is published after a delay: writing it takes longer than a key stroke may. */
const LONG_DOCUMENT = 5_000
const EMIT_DELAY_MS = 200
const NO_FORMATS: ReadonlySet<Format> = new Set()

/** The field of a message that shows its formats while they are typed. Its text is Markdown in the stored form. */
export default function RichField(props: MessageFieldProps) {
  const {
    label,
    placeholder,
    className,
    body,
    channelId,
    threadRoot = null,
    commands = false,
    isFormatBarShown = false,
    onFiles,
    isFocusedFirst = false,
    ref,
  } = props
  const container = useRef<HTMLDivElement>(null)
  const viewRef = useRef<EditorView | null>(null)
  const element = useRef<HTMLElement>(null)
  const [pills] = useState(createPills)
  const shownPills = useSyncExternalStore(pills.subscribe, pills.list)
  /** The value of `body` that the document has. */
  const known = useRef(body)
  /** The timer of a long text that was not published yet. */
  const emitLater = useRef<ReturnType<typeof setTimeout> | null>(null)
  const isPlainPaste = useRef(false)
  const isColonTyped = useRef(false)
  const [active, setActive] = useState(NO_FORMATS)
  const [command, setCommand] = useState<string | null>(null)
  const [hasLongPaste, setLongPaste] = useState(false)
  const [link, setLink] = useState<string | null>(null)
  const completion = useCompletion({
    field: element,
    channelId,
    threadRoot,
    isEmpty: false,
    onPick: (choice) => pick(choice),
  })

  const run = (applied: Command): boolean => {
    const view = viewRef.current
    return view !== null && applied(view.state, view.dispatch, view)
  }

  /** Reads what is being typed at the caret, and the formats there. */
  const read = (view: EditorView) => {
    const { state } = view
    completion.setTrigger(triggerAt(view, commands))
    const first = state.doc.firstChild!
    const line = isCommandDoc(state.doc) ? textBefore(first, first.content.size) : ''
    setCommand(commands && /\s/.test(line) ? parseSlashCommand(line).name : null)
    setLongPaste(longPasteOf(state) !== null)
    if (isFormatBarShown) {
      const formats = activeFormats(state)
      setActive((before) => (isEqual(before, formats) ? before : formats))
    }
  }

  /** Publishes the text of the document, if it has changed. */
  const emit = useEffectEvent(() => {
    const view = viewRef.current
    if (emitLater.current !== null) clearTimeout(emitLater.current)
    emitLater.current = null
    const next = view ? bodyOfDoc(view.state.doc, commands) : known.current
    if (next === known.current) return
    known.current = next
    props.onChange(next)
  })
  const emitPending = () => {
    if (emitLater.current !== null) emit()
  }
  /** The owner sends the text of its last render, which may lack the last keys: React renders them in a later task. */
  const emitUnrendered = useEffectEvent(() => {
    emitPending()
    if (props.body !== known.current) props.onChange(known.current)
  })

  const dispatch = useEffectEvent((view: EditorView, tr: Transaction) => {
    view.updateState(view.state.apply(tr))
    if (!tr.docChanged && !tr.selectionSet && !tr.storedMarksSet) return
    if (tr.docChanged) {
      if (view.state.doc.content.size > LONG_DOCUMENT) emitLater.current ??= setTimeout(emit, EMIT_DELAY_MS)
      else emit()
    }
    if (view.hasFocus()) read(view)
    if (isColonTyped.current && tr.docChanged) {
      isColonTyped.current = false
      void replaceShortcode(view)
    }
  })

  const pick = (choice: Choice) => {
    const view = viewRef.current
    // What was typed since the list was rendered is part of the query.
    const typed = view && triggerAt(view, commands)
    if (!view || !typed || typed.kind !== completion.trigger?.kind) return
    const { $from } = view.state.selection
    const from = $from.start() + typed.from
    const { insert, mentioned } = choice
    const who = mentioned
      ? `${mentioned.isChannel ? '#' : ''}${mentioned.id}`
      : typed.kind === 'person'
        ? insert.slice(1)
        : null
    const name = typed.kind === 'emoji' ? customEmojiOf(insert) : null
    const inserted =
      who !== null
        ? nodes.mention.create({ who })
        : name !== null
          ? nodes.emoji.create({ name })
          : schema.text(insert)
    const marks = $from.marks()
    const tr = closeHistory(view.state.tr)
    tr.replaceWith(from, $from.pos, [inserted.mark(marks), schema.text(' ', marks)])
    view.dispatch(tr.scrollIntoView())
    completion.setTrigger(null)
    choice.onPick?.()
  }

  /** Replaces `:tada:` when its second colon is typed. */
  const replaceShortcode = async (view: EditorView) => {
    const { state } = view
    const { $from, empty } = state.selection
    if (!empty || $from.parent.type.spec.code) return
    const typed = shortcodeAt(textBefore($from.parent, $from.parentOffset), $from.parentOffset)
    if (!typed) return
    const emoji = await emojiOfShortcode(typed.name).catch(() => null)
    if (!emoji || view.isDestroyed || !view.state.doc.eq(state.doc)) return
    const name = customEmojiOf(emoji)
    const marks = $from.marks()
    const node = name === null ? schema.text(emoji, marks) : nodes.emoji.create({ name }, null, marks)
    view.dispatch(closeHistory(view.state.tr).replaceWith($from.start() + typed.from, $from.pos, node))
  }

  const format = (name: Format) => {
    const view = viewRef.current
    if (!view) return
    if (name === 'link') {
      if (!view.state.selection.$from.parent.type.spec.code) setLink(linkAt(view.state))
      return
    }
    run(formatCommand(name))
    view.focus()
  }

  const onKeyDown = useEffectEvent((view: EditorView, event: KeyboardEvent): boolean => {
    if (completion.onKey(event)) return true
    const name = formatOf(event)
    // Without a selection this key opens the command palette.
    if (name && !(name === 'link' && view.state.selection.empty && linkAt(view.state) === '')) {
      format(name)
      return true
    }
    if (event.key === 'Enter') return onEnterKey(view, event)
    if (event.key === 'ArrowUp' && isEmptyDoc(view) && props.onArrowUp && !hasModifier(event)) {
      props.onArrowUp()
      return true
    }
    if (event.key === 'Escape' && props.onEscape) {
      props.onEscape()
      return true
    }
    return false
  })

  const onEnterKey = (
    { state }: EditorView,
    { shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent,
  ): boolean => {
    const isTouch = matchMedia(TOUCH).matches
    const isCommandKey = ctrlKey || metaKey
    if (altKey || shiftKey || (isTouch && !isCommandKey)) return run(newLine)
    const isInCode = state.selection.$from.parent.type === nodes.codeBlock
    if (!isCommandKey && (run(beginCode) || (isInCode && run(newLineInCode)))) return true
    flushSync(emitUnrendered)
    enter()
    return true
  }
  const enter = useEffectEvent(() => props.onEnter())

  const onPaste = useEffectEvent(
    (view: EditorView, event: ClipboardEvent | DragEvent, data: DataTransfer) => {
      const plain = data.getData('text/plain')
      // Files are attached by the pane. Cells of a spreadsheet come as text and as a picture.
      if (data.files.length > 0 && plain === '') {
        if (!onFiles) event.preventDefault()
        return
      }
      event.preventDefault()
      const tr = pasteTransaction(view.state, data, isPlainPaste.current)
      isPlainPaste.current = false
      if (!tr) return
      const { from } = view.state.selection
      if (onFiles && isLongText(plain)) {
        const text = plain.replaceAll(/\r\n?/g, '\n')
        tr.setMeta(LONG_PASTE, { text, from, to: tr.selection.to })
      }
      view.dispatch(tr)
    },
  )

  const attachLongText = () => {
    const view = viewRef.current
    const pasted = view && longPasteOf(view.state)
    if (!pasted || !onFiles) return
    view.dispatch(closeHistory(view.state.tr).deleteRange(pasted.from, pasted.to).setMeta(LONG_PASTE, null))
    onFiles([textFile(pasted.text)])
    view.focus()
  }

  const keepLongText = () => {
    const view = viewRef.current
    view?.dispatch(view.state.tr.setMeta(LONG_PASTE, null))
    setLongPaste(false)
    view?.focus()
  }

  const changeLink = (href: string) => {
    setLink(null)
    run(linkCommand(href))
    viewRef.current?.focus()
  }

  const onFocus = useEffectEvent((view: EditorView) => {
    props.onFocus?.()
    loadEmojiNames().catch(() => {})
    read(view)
  })
  const onReplaced = useEffectEvent((view: EditorView) => read(view))
  const onBlur = useEffectEvent(() => {
    emitPending()
    completion.setTrigger(null)
  })

  useLayoutEffect(() => {
    const view = new EditorView(container.current, {
      state: createState(docOfBody(known.current, commands)),
      dispatchTransaction(tr) {
        dispatch(view, tr)
      },
      nodeViews: { mention: pills.view, emoji: pills.view },
      handleKeyDown: (_view, event) => onKeyDown(view, event),
      handleTextInput(_view, _from, _to, text) {
        isColonTyped.current = text.endsWith(':')
        return false
      },
      handleClick: (_view, _pos, event) => toggleTask(view, event),
      // The lines of a paragraph are lines for those who write them.
      handleTripleClick(_view, pos) {
        const $pos = view.state.doc.resolve(pos)
        if (!$pos.parent.isTextblock) return false
        const { from, to } = lineAround($pos)
        view.dispatch(view.state.tr.setSelection(TextSelection.create(view.state.doc, from, to)))
        return true
      },
      handleDOMEvents: {
        keydown(_view, event) {
          isPlainPaste.current = event.shiftKey && (event.ctrlKey || event.metaKey) && event.code === 'KeyV'
          // ProseMirror prevents the default of each Escape, and what contains the field would ignore it.
          if (event.key === 'Escape' && !isComposing(event)) {
            if (onKeyDown(view, event)) event.preventDefault()
            return true
          }
          // Keys of an input method: Enter would make a line.
          return isComposing(event) && /^(?:Enter|Escape|Tab|Arrow)/.test(event.key)
        },
        // The browser would insert the line breaks as characters, and ProseMirror would move the caret by their number.
        beforeinput(_view, event) {
          if (!insertsLines(event)) return false
          event.preventDefault()
          insertLines(view, event)
          return true
        },
        // The parser of ProseMirror's clipboard makes markup of text, which the content security policy forbids.
        paste(_view, event) {
          if (event.clipboardData) onPaste(view, event, event.clipboardData)
          return true
        },
        drop(_view, event) {
          if (view.dragging || !event.dataTransfer) return false
          const at = view.posAtCoords({ left: event.clientX, top: event.clientY })
          if (at && event.dataTransfer.files.length === 0) {
            const $at = view.state.doc.resolve(at.pos)
            view.dispatch(view.state.tr.setSelection(Selection.near($at)))
          }
          onPaste(view, event, event.dataTransfer)
          return true
        },
        copy: (_view, event) => copySelection(view, event),
        cut(_view, event) {
          if (!copySelection(view, event)) return false
          view.dispatch(closeHistory(view.state.tr).deleteSelection().scrollIntoView())
          return true
        },
        focus: () => void onFocus(view),
        blur: () => void onBlur(),
      },
      clipboardTextSerializer: (slice) => plainText(slice),
    })
    viewRef.current = view
    element.current = view.dom
    return () => {
      onBlur()
      viewRef.current = null
      view.destroy()
    }
    // oxlint-disable-next-line react/exhaustive-deps -- the first document; later ones are set below
  }, [pills])

  useLayoutEffect(() => {
    const touch = matchMedia(TOUCH).matches
    viewRef.current?.setProps({
      attributes: ({ doc }) => ({
        role: 'textbox',
        'aria-multiline': 'true',
        'aria-label': label,
        'aria-autocomplete': 'list',
        'aria-haspopup': 'listbox',
        enterkeyhint: touch ? 'enter' : 'send',
        'data-placeholder': placeholder ?? '',
        class: cx(styles.text, isEmpty(doc) && styles.empty),
      }),
    })
  }, [label, placeholder, commands])

  useLayoutEffect(() => {
    const view = viewRef.current
    if (!view || body === known.current) return
    known.current = body
    const doc = docOfBody(body, commands)
    // What was typed before belongs to another text: undo does not return to it.
    if (!doc.eq(view.state.doc)) view.updateState(createState(doc))
    onReplaced(view)
  }, [body, commands])

  useEffect(() => {
    if (isFormatBarShown && viewRef.current) onReplaced(viewRef.current)
  }, [isFormatBarShown])

  // With the commit that removes the plain field: a key between two tasks would reach no field.
  useLayoutEffect(() => {
    if (isFocusedFirst) viewRef.current?.focus()
    // oxlint-disable-next-line react/exhaustive-deps -- only when it appears
  }, [])

  useImperativeHandle(ref, () => ({
    focus: () => viewRef.current?.focus(),
    insert(text) {
      const view = viewRef.current
      if (!view) return
      view.focus()
      const name = customEmojiOf(text)
      const tr = view.state.tr
      if (name === null) tr.insertText(text)
      else tr.replaceSelectionWith(nodes.emoji.create({ name }), true)
      view.dispatch(tr.scrollIntoView())
    },
    replaceAll(next) {
      const view = viewRef.current
      if (!view) return
      const { doc } = view.state
      const tr = closeHistory(view.state.tr)
      tr.replace(0, doc.content.size, new Slice(docOfBody(next, commands).content, 0, 0))
      view.dispatch(tr.setSelection(Selection.atEnd(tr.doc)).scrollIntoView())
    },
  }))

  return (
    <>
      {completion.list ??
        (command === null || body === '' ? null : (
          <CommandHint name={command} channelId={channelId} threadRoot={threadRoot} />
        ))}
      {isFormatBarShown ? <FormatBar active={active} onFormat={format} /> : null}
      {link === null ? null : (
        <LinkForm
          address={link}
          onChange={changeLink}
          onClose={() => {
            setLink(null)
            viewRef.current?.focus()
          }}
        />
      )}
      <div ref={container} className={cx(styles.field, className)} />
      {shownPills.map(({ id, element, node }) =>
        createPortal(<PillContent node={node} />, element, String(id)),
      )}
      {hasLongPaste && body !== '' ? (
        <LongTextNotice onAttach={attachLongText} onKeep={keepLongText} />
      ) : null}
    </>
  )
}

function isEqual(a: ReadonlySet<Format>, b: ReadonlySet<Format>): boolean {
  return a.size === b.size && [...a].every((one) => b.has(one))
}

function hasModifier({ ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return ctrlKey || metaKey || altKey || shiftKey
}

function isEmpty(doc: EditorView['state']['doc']): boolean {
  return (
    doc.childCount === 1 && doc.firstChild!.type === nodes.paragraph && doc.firstChild!.content.size === 0
  )
}

function isEmptyDoc({ state }: EditorView): boolean {
  return isEmpty(state.doc)
}

/** What is being typed at the caret; its index counts from the beginning of the block. */
function triggerAt({ state }: EditorView, commands: boolean): Trigger | null {
  const { $from, empty } = state.selection
  const isCode = $from.parent.type.spec.code || $from.marks().some(({ type }) => type.spec.code)
  if (!empty || isCode || !$from.parent.inlineContent) return null
  const isFirst = $from.depth === 1 && $from.index(0) === 0
  return completionAt(textBefore($from.parent, $from.parentOffset), $from.parentOffset, commands && isFirst)
}

/** The name of a custom emoji. */
function customEmojiOf(text: string): string | null {
  return /^:([a-z\d_+-]{1,64}):$/.exec(text)?.[1] ?? null
}

/** Whether an input method inserts several lines: a dictation, the clipboard of a phone's keyboard. */
function insertsLines({ inputType, data }: InputEvent): boolean {
  return inputType === 'insertText' && data !== null && /[\r\n]./.test(data)
}

/** Inserts them like a pasted text. The browser's selection may be newer than the document's. */
function insertLines(view: EditorView, event: InputEvent): void {
  const [range] = event.getTargetRanges()
  if (range) {
    const { doc, tr } = view.state
    const from = doc.resolve(view.posAtDOM(range.startContainer, range.startOffset))
    const to = doc.resolve(view.posAtDOM(range.endContainer, range.endOffset))
    view.dispatch(tr.setSelection(TextSelection.between(from, to)))
  }
  const data = { getData: (type: string) => (type === 'text/plain' ? (event.data ?? '') : '') }
  const tr = pasteTransaction(view.state, data, false)
  if (tr) view.dispatch(tr)
}

function copySelection(view: EditorView, event: ClipboardEvent): boolean {
  const { selection } = view.state
  if (selection.empty || !event.clipboardData) return false
  event.preventDefault()
  const slice = selection.content()
  copySlice(event.clipboardData, slice, view.serializeForClipboard(slice).dom.innerHTML)
  return true
}

/** The box of a task is beside its text. */
function toggleTask(view: EditorView, event: MouseEvent): boolean {
  const { target } = event
  if (!(target instanceof HTMLLIElement) || target.dataset['task'] === undefined) return false
  const at = view.posAtDOM(target, 0) - 1
  const node = view.state.doc.nodeAt(at)
  if (node?.type !== nodes.item) return false
  view.dispatch(view.state.tr.setNodeMarkup(at, null, { ...node.attrs, isDone: !node.attrs['isDone'] }))
  return true
}
