import { isVisible } from '../../../../wire/texts.ts'
import { i18n } from '@lingui/core'
import CornerDownLeft from 'lucide-react/icons/corner-down-left'
import Type from 'lucide-react/icons/type'
import Smile from 'lucide-react/icons/smile'
import { Suspense, useEffect, useEffectEvent, useImperativeHandle, useRef, useState, type Ref } from 'react'
import { readField } from '../../../data/messages/draftFields.ts'
import { setQuote, useDraft } from '../../../data/messages/drafts.ts'
import { setTyping } from '../../../data/messages/messages.ts'
import type { DiscardedMessage } from '../../../data/messages/messages.ts'
import { useClientSession } from '../../../data/hooks/useClientSession.ts'
import { Button } from '../../../ui/Button.tsx'
import { cx } from '../../../ui/cx.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { useOverlay } from '../../parts/overlays/OverlayContext.ts'
import { EmojiButton } from '../../parts/emoji/EmojiButton.tsx'
import styles from './Composer.module.css'
import { charactersLeft } from '../writing/charactersLeft.ts'
import { MessageField } from '../writing/MessageField.tsx'
import type { MessageFieldHandle } from '../writing/MessageFieldProps.ts'
import { takeFieldFocus } from '../writing/fieldFocus.ts'
import { useMentionable } from '../writing/useMentionable.ts'
import { AttachButton } from './attachments/AttachButton.tsx'
import { useAttachments } from './attachments/useAttachments.ts'
import { useSend, type SendOptions } from './useSend.ts'
import { lazyComponent, startPreloading } from '../../../ui/lazyComponent.tsx'
import { ANY_TOUCH_PHONE, useMedia } from '../../../ui/useMedia.ts'

const AttachMenu = lazyComponent(() => import('./attachments/AttachMenu.tsx'))
const LocationDialog = lazyComponent(() => import('./attachments/LocationDialog.tsx'), { preload: true })
const AttachmentList = lazyComponent(() => import('./attachments/AttachmentList.tsx'), { preload: true })
const CharacterCount = lazyComponent(() => import('../writing/CharacterCount.tsx'))
const SlowModeNotice = lazyComponent(() => import('./SlowModeNotice.tsx'))
const QuotePreview = lazyComponent(() => import('./quote/QuotePreview.tsx'), { preload: true })
const NonMemberWarning = lazyComponent(() => import('./NonMemberWarning.tsx'))
const MassMentionDialog = lazyComponent(() => import('./MassMentionDialog.tsx'), { preload: true })
const ComposerTools = lazyComponent(() => import('./ComposerTools.tsx'))
const VoiceRecorder = lazyComponent(() => import('./voice/VoiceRecorder.tsx'))
const CommandResponses = lazyComponent(() => import('./slashCommands/CommandResponses.tsx'), {
  preload: true,
})
const RunSlashCommands = lazyComponent(() => import('./slashCommands/RunSlashCommands.tsx'), {
  preload: true,
})

export interface ComposerHandle {
  /** Puts the text of a discarded message before the current draft. */
  prepend: (message: DiscardedMessage) => void
}

interface Props {
  channelId: string
  threadRoot?: string | null
  /** "Message #rota", "Reply": accessible name and placeholder. */
  label: string
  /** A reply may also be sent to the channel of this name. */
  alsoTo?: string | null
  /** Arrow up in an empty field: edit the last own message. */
  onEditLast: () => void
  onSent?: () => void
  ref?: Ref<ComposerHandle>
}

/** Whether the format bar is shown, in every conversation of this page. */
let wasFormatBarShown = false

/**
 * The message field with everything around it. It stores its text as a draft. Enter sends the message, and Shift+Enter starts
 * a new line. On touch devices and in code blocks, Enter starts a new line, and the button or Ctrl+Enter sends the message.
 * On a touch phone the composer is one row until it has the focus or content. It then has one row of tools, or of formats. In
 * landscape the tools are beside the field.
 */
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
  const field = useRef<MessageFieldHandle>(null)
  const root = useRef<HTMLFormElement>(null)
  const [alsoToChannel, setAlsoToChannel] = useState(false)
  const [isRecording, setRecording] = useState(false)
  const attachments = useAttachments(root, threadRoot ?? channelId)
  const open = useOverlay()
  const { text, quote } = draft
  const hasResponses = useClientSession((session) => (session?.store.get().responses.size ?? 0) > 0)
  const focus = () => field.current?.focus()
  const [isFormatBarShown, setFormatBarShown] = useState(wasFormatBarShown)
  const mentionable = useMentionable()
  const left = charactersLeft(text)
  const isTouchPhone = useMedia(ANY_TOUCH_PHONE)
  const [isFocused, setFocused] = useState(false)
  const [isWaiting, setWaiting] = useState(false)
  const [isSilenced, setSilenced] = useState(false)
  const canSend =
    !isWaiting &&
    (left === null || left >= 0) &&
    !attachments.preparing &&
    attachments.undecided.length === 0 &&
    (isVisible(text) || attachments.files.length > 0)

  const hasContent =
    text !== '' || quote !== null || isRecording || attachments.files.length > 0 || attachments.preparing
  const isCollapsed = isTouchPhone && !isFocused && !hasContent && !isSilenced
  const showsFormats = isFormatBarShown && !isCollapsed

  useEffect(startPreloading, [])
  // A quote from another device, or of a stored draft, does not move the focus.
  const focusField = useEffectEvent(() => {
    if (draft.isTyped) focus()
  })
  useEffect(() => {
    if (quote !== null) focusField()
  }, [quote])
  useEffect(() => {
    if (takeFieldFocus(threadRoot ?? channelId)) field.current?.focus()
  }, [channelId, threadRoot])

  /** Puts a text before what the field contains now. */
  function prependText(restored: string) {
    draft.setText([restored, readField(threadRoot ?? channelId).text].filter(Boolean).join('\n'))
    focus()
  }

  useImperativeHandle(ref, () => ({
    prepend: ({ body, files, extras }) => {
      if (extras?.poll) {
        const first = { question: body, poll: extras.poll }
        return open({ kind: 'create-poll', channelId, threadRoot, first })
      }
      if (extras?.forward) {
        const first = { to: channelId, comment: body }
        return open({ kind: 'forward', messageIds: [extras.forward.message_id], first })
      }
      if (extras?.quote) setQuote(channelId, threadRoot, extras.quote.message_id)
      prependText(body)
      if (files.length > 0) attachments.restore(files)
    },
  }))

  const options: SendOptions = {
    channelId,
    threadRoot,
    text,
    isDraftLoaded: draft.isLoaded,
    people: mentionable,
    alsoToChannel: alsoTo !== null && alsoToChannel,
    attachments,
    quote,
    onQueued: (isFromField) => {
      // What was typed before the stored draft was loaded is sent without it.
      if (isFromField && !draft.isLoaded) draft.clear()
      if (!isFromField && quote !== null) setQuote(channelId, threadRoot, null)
      setAlsoToChannel(false)
    },
    onSent,
  }
  const sending = useSend(options)
  const { unconfirmed, commands } = sending
  const attachButton = <AttachButton onFiles={attachments.add} />

  return (
    <form
      ref={root}
      data-writes-to={threadRoot ?? channelId}
      className={cx(
        styles.composer,
        isSilenced && styles.silenced,
        isCollapsed ? styles.collapsed : showsFormats ? styles.formatting : !isRecording && styles.landscape,
      )}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (currentTarget.contains(relatedTarget)) return
        // It stays behind its own menus and behind dialogs. The sheet of a message collapses it.
        const isCovered =
          currentTarget.querySelector(':popover-open') ?? document.querySelector('dialog[open]')
        if (isCovered) return
        // A tap moves the focus between its press and its click: a layout that moved in between would lose the click.
        setTimeout(() => {
          if (!currentTarget.contains(document.activeElement)) setFocused(false)
        })
      }}
      onSubmit={(event) => {
        event.preventDefault()
        if (canSend) sending.send()
        focus()
      }}
    >
      <Suspense>
        {hasResponses ? (
          <CommandResponses channelId={channelId} threadRoot={threadRoot} onRemove={focus} />
        ) : null}
      </Suspense>
      <Suspense>
        {quote === null ? null : (
          <QuotePreview id={quote} onRemove={() => setQuote(channelId, threadRoot, null)} />
        )}
      </Suspense>
      {attachments.isDraggedOver ? <div className={styles.drop}>{i18n._('Drop files to attach')}</div> : null}
      <div data-compose>
        <MessageField
          ref={field}
          label={label}
          placeholder={label}
          className={styles.field}
          body={text}
          channelId={channelId}
          threadRoot={threadRoot}
          commands
          isFormatBarShown={showsFormats}
          onFocus={() => setFocused(true)}
          onChange={(next) => {
            draft.setText(next)
            if (next) setTyping(channelId, threadRoot)
          }}
          onFiles={attachments.add}
          onEnter={() => {
            if (canSend) sending.send()
          }}
          onArrowUp={onEditLast}
        />
      </div>
      <Suspense>
        <SlowModeNotice channelId={channelId} onChange={setWaiting} />
      </Suspense>
      <Suspense>{left === null ? null : <CharacterCount left={left} />}</Suspense>
      <Suspense>
        {attachments.files.length > 0 || attachments.preparing ? (
          <AttachmentList
            files={attachments.files}
            preparing={attachments.preparing}
            onRemove={attachments.remove}
            field={field}
          />
        ) : null}
        {attachments.undecided.length > 0 ? (
          <LocationDialog files={attachments.undecided} onDecide={attachments.decide} />
        ) : null}
        {isRecording ? (
          <VoiceRecorder
            channelId={channelId}
            threadRoot={threadRoot}
            onSent={onSent}
            onEnd={() => {
              setRecording(false)
              focus()
            }}
          />
        ) : null}
        {text.includes('@') ? (
          <NonMemberWarning channelId={channelId} text={text} people={mentionable} />
        ) : null}
        {unconfirmed ? (
          <MassMentionDialog
            channelId={channelId}
            mention={unconfirmed.mention}
            onConfirm={() => sending.confirm(true)}
            onClose={() => {
              sending.confirm(false)
              if (!unconfirmed.isFromField) prependText(unconfirmed.body)
            }}
          />
        ) : null}
        {commands.length > 0 ? (
          <RunSlashCommands
            channelId={channelId}
            threadRoot={threadRoot}
            fieldText={text}
            mentionable={mentionable}
            sending={sending}
            setText={draft.setText}
            onRestore={prependText}
            onDismiss={focus}
          />
        ) : null}
      </Suspense>
      {alsoTo === null ? null : (
        <label className={styles.crossPost}>
          <input
            type="checkbox"
            checked={alsoToChannel}
            onChange={(event) => setAlsoToChannel(event.currentTarget.checked)}
          />
          <span>{i18n._('Also send to {channel}', { channel: alsoTo })}</span>
        </label>
      )}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- its buttons have the focus */}
      <div
        className={styles.bar}
        onMouseDown={(event) => {
          // The field keeps the focus, and a phone its keyboard. The search of the emoji picker takes both.
          if (isTouchPhone && !(event.target instanceof HTMLInputElement)) event.preventDefault()
        }}
      >
        {isTouchPhone ? (
          <Suspense fallback={attachButton}>
            <AttachMenu onFiles={attachments.add} channelId={channelId} threadRoot={threadRoot} />
          </Suspense>
        ) : (
          attachButton
        )}
        {isCollapsed ? null : (
          <>
            <IconButton
              label={i18n._('Formatting')}
              icon={<Icon of={Type} size={20} />}
              aria-pressed={showsFormats}
              onClick={() => {
                wasFormatBarShown = !showsFormats
                setFormatBarShown(wasFormatBarShown)
              }}
            />
            <EmojiButton
              label={i18n._('Insert an emoji')}
              icon={Smile}
              size={20}
              onPick={(emoji) => field.current?.insert(emoji)}
            />
          </>
        )}
        <Suspense>
          <ComposerTools
            {...options}
            canSend={canSend}
            isCollapsed={isCollapsed}
            isRecording={isRecording}
            onInsert={(text) => field.current?.insert(text)}
            onRecord={() => setRecording(true)}
            onSilence={setSilenced}
          />
        </Suspense>
        {isCollapsed ? null : (
          <>
            <span className={styles.spacer} />
            <Button
              type="submit"
              variant="primary"
              disabled={!canSend || commands.some(({ isFound }) => !isFound)}
              className={styles.send}
            >
              {i18n._('Send')}
              <Icon of={CornerDownLeft} className={styles.enterIcon} />
            </Button>
          </>
        )}
      </div>
    </form>
  )
}
