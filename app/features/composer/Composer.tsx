import { i18n } from '@lingui/core'
import AtSign from 'lucide-react/icons/at-sign'
import CornerDownLeft from 'lucide-react/icons/corner-down-left'
import Plus from 'lucide-react/icons/plus'
import Smile from 'lucide-react/icons/smile'
import {
  Suspense,
  useEffect,
  useImperativeHandle,
  useRef,
  useState,
  type KeyboardEvent,
  type Ref,
} from 'react'
import { useDraft } from '../../data/persistence/drafts.ts'
import { setTyping } from '../../data/messages/messages.ts'
import type { TakenBack } from '../../data/messages/messages.ts'
import { useMembers } from '../../data/people/people.ts'
import { Button } from '../../ui/Button.tsx'
import { GrowingText } from '../../ui/GrowingText.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { fetchAhead } from '../message/fetchAhead.ts'
import { EmojiButton } from '../message/reactions/emoji/EmojiButton.tsx'
import styles from './Composer.module.css'
import { charactersLeft } from './charactersLeft.ts'
import { useMentions } from './useMentions.ts'
import { decodeMentions } from './mentionText.ts'
import { useAttachments } from './attaching/useAttachments.ts'
import { useSend } from './useSend.ts'
import { lazily } from '../../ui/lazily.tsx'

// Files, and who is called: not before there is a file, or an "@" is typed.
const Attached = lazily(() => import('./attaching/Attached.tsx'))
const LengthNote = lazily(() => import('./LengthNote.tsx'))
const MentionList = lazily(() => import('./MentionList.tsx'))
const Outsiders = lazily(() => import('./Outsiders.tsx'))
const CallQuestion = lazily(() => import('./CallQuestion.tsx'))

export interface ComposerHandle {
  /** Puts what was written in a discarded message before what is being typed. */
  prepend: (words: TakenBack) => void
}

interface Props {
  channelId: string
  threadRoot?: string | null
  /** "Message #rota", "Reply": its name and what it shows while empty. */
  label: string
  /** A reply may also go to the channel of this name. */
  alsoTo?: string | null
  /** Arrow up in an empty field: edit one's last words. */
  onEditLast: () => void
  onSent?: () => void
  ref?: Ref<ComposerHandle>
}

/** Where one writes. Enter sends, Shift and Enter break the line; what is typed is kept as a draft. */
export function Composer({
  channelId,
  threadRoot = null,
  label,
  alsoTo = null,
  onEditLast,
  onSent,
  ref,
}: Props) {
  const draft = useDraft(channelId, threadRoot)
  const people = useMembers()
    .filter((member) => member.state === 'active')
    .map((member) => member.profile)
  const field = useRef<HTMLTextAreaElement>(null)
  const root = useRef<HTMLFormElement>(null)
  const chooser = useRef<HTMLInputElement>(null)
  const [alsoToChannel, setAlsoToChannel] = useState(false)
  const attached = useAttachments(root)
  const { text } = draft
  const mentions = useMentions({ channelId, text, people, field, onText: draft.setText })
  const meant = [...mentions.picked, ...people]
  const left = charactersLeft(text, meant)
  const sendable =
    (left === null || left >= 0) && !attached.preparing && (text.trim() !== '' || attached.files.length > 0)

  useEffect(fetchAhead, [])

  useImperativeHandle(ref, () => ({
    prepend: ({ body, files }) => {
      const words = decodeMentions(body, (id) => people.find((one) => one.id === id)?.name ?? null)
      draft.setText([words, text].filter(Boolean).join('\n'))
      if (files.length > 0) attached.putBack(files)
      field.current?.focus({ preventScroll: true })
    },
  }))

  // The field itself puts the words in and moves its caret: a key struck at once must come after them.
  function insert(words: string) {
    const area = field.current
    if (!area) return
    area.setRangeText(words, area.selectionStart, area.selectionEnd, 'end')
    area.focus({ preventScroll: true })
    draft.setText(area.value)
    mentions.look()
  }

  const { send, question, answer } = useSend({
    channelId,
    threadRoot,
    text,
    isDraftLoaded: draft.isLoaded,
    people: meant,
    alsoToChannel: alsoTo !== null && alsoToChannel,
    attached,
    onTaken: () => {
      draft.clear()
      setAlsoToChannel(false)
    },
    onSent,
  })

  function keyed(event: KeyboardEvent<HTMLTextAreaElement>) {
    // Safari ends a composition before the key that ended it: code 229 is that key.
    if (event.nativeEvent.isComposing || event.keyCode === 229 || mentions.keyed(event)) return
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault()
      if (sendable) send()
    } else if (event.key === 'ArrowUp' && text === '') {
      event.preventDefault()
      onEditLast()
    }
  }

  return (
    <form
      ref={root}
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault()
        if (sendable) send()
        field.current?.focus({ preventScroll: true })
      }}
    >
      <Suspense>{mentions.choices.length ? <MentionList mentions={mentions} /> : null}</Suspense>
      {attached.over ? <div className={styles.drop}>{i18n._('Drop files to attach')}</div> : null}
      <GrowingText
        ref={field}
        data-compose
        label={label}
        placeholder={label}
        className={styles.field}
        value={text}
        {...mentions.field}
        onChange={(next) => {
          draft.setText(next)
          if (next) setTyping(channelId, threadRoot)
          mentions.look()
        }}
        onKeyDown={keyed}
        onClick={mentions.look}
        onBlur={mentions.close}
      />
      <Suspense>{left === null ? null : <LengthNote left={left} />}</Suspense>
      <Suspense>
        {attached.files.length > 0 || attached.preparing ? (
          <Attached attached={attached} field={field} />
        ) : null}
        {text.includes('@') ? <Outsiders channelId={channelId} text={text} people={meant} /> : null}
        {question ? (
          <CallQuestion
            channelId={channelId}
            call={question}
            onYes={() => answer(true)}
            onClose={() => answer(false)}
          />
        ) : null}
      </Suspense>
      <div className={styles.bar}>
        <IconButton
          label={i18n._('Attach files')}
          icon={<Icon of={Plus} size={20} />}
          onClick={() => chooser.current?.click()}
        />
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          aria-label={i18n._('Files to attach')}
          onChange={(event) => {
            attached.add([...(event.currentTarget.files ?? [])])
            event.currentTarget.value = ''
          }}
        />
        {threadRoot === null || alsoTo === null ? (
          <>
            <EmojiButton label={i18n._('Insert an emoji')} icon={Smile} size={20} onPick={insert} />
            <IconButton
              label={i18n._('Mention someone')}
              icon={<Icon of={AtSign} size={20} />}
              onClick={() => insert(text === '' || /\s$/.test(text) ? '@' : ' @')}
            />
          </>
        ) : (
          <label className={styles.also}>
            <input
              type="checkbox"
              checked={alsoToChannel}
              onChange={(event) => setAlsoToChannel(event.currentTarget.checked)}
            />
            <span>{i18n._('Also send to {channel}', { channel: alsoTo })}</span>
          </label>
        )}
        <span className={styles.space} />
        <Button type="submit" look="primary" disabled={!sendable} className={styles.send}>
          {i18n._('Send')}
          <Icon of={CornerDownLeft} className={styles.enter} />
        </Button>
      </div>
    </form>
  )
}
