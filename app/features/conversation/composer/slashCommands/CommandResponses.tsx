import { i18n } from '@lingui/core'
import X from 'lucide-react/icons/x'
import { useEffect, useState } from 'react'
import type { CommandProblem, CommandResponse } from '../../../../../wire/botCommands.ts'
import { dismissResponse, invokeCommand, useCommandResponses } from '../../../../data/messages/botCommands.ts'
import type { Outcome } from '../../../../data/failures/failures.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { useProfile } from '../../../../data/people/people.ts'
import { announce } from '../../../../ui/announce.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Icon } from '../../../../ui/Icon.tsx'
import { IconButton } from '../../../../ui/IconButton.tsx'
import { useToast } from '../../../../ui/toast.ts'
import { Avatar } from '../../../parts/members/avatar/Avatar.tsx'
import { Body } from '../../../parts/body/Body.tsx'
import { decodeMentions } from '../../../parts/body/mentionText.ts'
import styles from './CommandResponses.module.css'

interface Props {
  channelId: string
  threadRoot: string | null
  /** A button that had the focus is removed. */
  onRemove: () => void
}

/** What only the user sees of the commands of bots that they entered here: pending ones, errors and responses. */
export default function CommandResponses({ channelId, threadRoot, onRemove }: Props) {
  const responses = useCommandResponses(channelId, threadRoot)
  if (responses.length === 0) return null
  return (
    <div className={styles.list}>
      {responses.map((response) => (
        <Response key={response.id} response={response} onRemove={onRemove} />
      ))}
    </div>
  )
}

function Response({ response, onRemove }: { response: CommandResponse; onRemove: () => void }) {
  const { id, channel_id: channel, thread_root: threadRoot, command: name, text, state, body } = response
  const profile = useProfile(response.bot_id)
  const showToast = useToast()
  const botName = profile?.name ?? i18n._('A bot')
  const bot = isolateBidi(botName)
  const problem = state === 'failed' ? problemSentence(response.problem, bot) : null
  /** Not what was there when the conversation was opened. */
  const [wasPending] = useState(state === 'pending')
  useEffect(() => {
    if (state !== 'pending' && wasPending) announce(problem ?? i18n._('{bot} responded.', { bot }))
  }, [state, wasPending, problem, bot])
  const report = (outcome: Outcome) => {
    if (!outcome.ok) showToast({ text: outcome.failure.message })
    return outcome.ok
  }
  const dismiss = () => {
    onRemove()
    void dismissResponse(id).then(report)
  }
  const retry = async () => {
    onRemove()
    if (report(await invokeCommand({ channel, threadRoot, name, text }))) report(await dismissResponse(id))
  }
  if (state === 'pending') {
    return (
      <p className={styles.pending}>{i18n._('{bot} is running {command}…', { bot, command: `/${name}` })}</p>
    )
  }
  return (
    <section className={styles.response} aria-label={i18n._('Response of {bot}', { bot })}>
      <Avatar id={response.bot_id} name={botName} size={24} />
      <div className={styles.content}>
        <p className={styles.about}>
          <bdi className={styles.name}>{botName}</bdi> · {i18n._('Only visible to you')} ·{' '}
          <bdi>{`/${name} ${decodeMentions(text)}`.trim()}</bdi>
        </p>
        {state === 'shown' ? (
          <Body body={body ?? ''} />
        ) : (
          <>
            <p>{problem}</p>
            <Button variant="quiet" className={styles.retry} onClick={() => void retry()}>
              {i18n._('Try again')}
            </Button>
          </>
        )}
      </div>
      <IconButton label={i18n._('Dismiss')} icon={<Icon of={X} />} onClick={dismiss} />
    </section>
  )
}

function problemSentence(problem: CommandProblem | null, bot: string): string {
  switch (problem) {
    case 'timeout':
      return i18n._('{bot} didn’t respond in time.', { bot })
    case 'unreachable':
      return i18n._('{bot} can’t be reached right now.', { bot })
    case 'bad_response':
      return i18n._('{bot} sent a response that can’t be displayed.', { bot })
    case 'refused':
      return i18n._('{bot} can’t respond here.', { bot })
    case 'paused':
      return i18n._('The command wasn’t sent: an owner has to confirm the restore of this server first.')
    default:
      return i18n._('{bot} couldn’t run this command.', { bot })
  }
}
