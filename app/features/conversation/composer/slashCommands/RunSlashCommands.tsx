import { i18n } from '@lingui/core'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { navigate } from '../../../../historyState.ts'
import { useChannel } from '../../../../data/channels/channels.ts'
import { readField } from '../../../../data/messages/draftFields.ts'
import { Button } from '../../../../ui/Button.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { useMe } from '../../../parts/members/MeContext.ts'
import { useOverlay } from '../../../parts/overlays/OverlayContext.ts'
import styles from '../Composer.module.css'
import { encodeMentions, type Mentionable } from '../../../../../wire/body/encodeMentions.ts'
import { decodeMentions } from '../../../parts/body/mentionText.ts'
import type { Sending } from '../useSend.ts'
import { findSlashCommand } from '../../slashCommands/findSlashCommands.ts'
import { parseSlashCommand } from '../../slashCommands/parseSlashCommand.ts'
import type { SlashCommandResult } from '../../slashCommands/SlashCommand.ts'

interface PlaceProps {
  channelId: string
  threadRoot: string | null
  /** What the field contains now, in the stored form as all texts here. */
  fieldText: string
  mentionable: readonly Mentionable[]
}

interface Props extends PlaceProps {
  /** Their state; sends texts that they return. */
  sending: Sending
  setText: (text: string) => void
  /** Puts a text before what the field contains. */
  onRestore: (text: string) => void
  /** The buttons of an unknown command disappear: the focus returns to the field. */
  onDismiss: () => void
}

/** Runs the commands that were entered. */
export default function RunSlashCommands({ sending, setText, onRestore, ...composer }: Props) {
  return sending.commands.map(({ id, text }) => (
    <RunSlashCommand
      {...composer}
      key={id}
      text={text}
      onStart={() => {
        sending.startCommand(id)
        setText(textAfter(readField(composer.threadRoot ?? composer.channelId).text, text))
      }}
      onRestore={() => onRestore(text)}
      onSend={sending.sendResult}
      onSendText={sending.sendText}
      onEnd={() => sending.endCommand(id)}
    />
  ))
}

/** What was typed after a command while it was looked up. */
function textAfter(text: string, command: string): string {
  const trimmed = text.trimStart()
  return trimmed.startsWith(command) ? trimmed.slice(command.length).trimStart() : text
}

interface RunProps extends PlaceProps {
  /** The text of the command. */
  text: string
  /** The command exists: its text is removed from the field. */
  onStart: () => void
  /** Its text returns to the field. */
  onRestore: () => void
  /** Sends a text that the command returned. */
  onSend: (body: string) => void
  /** There is no such command, and the text is sent as a message. */
  onSendText: () => void
  onEnd: () => void
  onDismiss: () => void
}

/** Runs a command. If there is none of this name, the reader decides whether the text is a message. */
function RunSlashCommand(props: RunProps) {
  const { channelId, threadRoot, text, fieldText, mentionable, onEnd } = props
  const channel = useChannel(channelId)
  const me = useMe()
  const open = useOverlay()
  const showToast = useToast()
  const [isUnknown, setUnknown] = useState(false)
  const isStarted = useRef(false)
  const { name, argument } = parseSlashCommand(text)

  const finish = (result: SlashCommandResult) => {
    if (result.kind === 'send') props.onSend(result.text)
    if (result.kind === 'rejected') {
      props.onRestore()
      showToast({ text: result.reason })
    }
    onEnd()
  }
  const run = useEffectEvent(async () => {
    if (typeof channel === 'string') return onEnd()
    const composer = { channel, threadRoot, me }
    let command
    try {
      command = await findSlashCommand(composer, name)
    } catch (error) {
      showToast({ text: (error as Error).message })
      return onEnd()
    }
    if (!command) return setUnknown(true)
    props.onStart()
    finish(
      await command.run({
        ...composer,
        text: decodeMentions(argument),
        argument: encodeMentions(argument, mentionable),
        open,
        navigate,
      }),
    )
  })
  useEffect(() => {
    if (isStarted.current) return
    isStarted.current = true
    void run()
  }, [])

  const isEdited = isUnknown && fieldText.trim() !== text
  const end = useEffectEvent(onEnd)
  useEffect(() => {
    if (isEdited) end()
  }, [isEdited])

  if (!isUnknown) return null
  return (
    <div className={styles.notice} role="alert">
      <p>{i18n._('There’s no command /{name}.', { name })}</p>
      <Button
        variant="quiet"
        onClick={() => {
          onEnd()
          props.onDismiss()
          props.onSendText()
        }}
      >
        {i18n._('Send as a message')}
      </Button>
      <Button
        variant="quiet"
        onClick={() => {
          onEnd()
          props.onDismiss()
        }}
      >
        {i18n._('Keep editing')}
      </Button>
    </div>
  )
}
