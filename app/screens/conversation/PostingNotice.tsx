import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Message } from '../../../wire/messages.ts'
import { archiveChannel, joinChannel } from '../../data/channels/channelCommands.ts'
import type { ChannelWithPermissions } from '../../data/channels/channels.ts'
import { isolateBidi } from '../../data/people/isolateBidi.ts'
import type { Outcome } from '../../data/failures/failures.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { useToast } from '../../ui/toast.ts'
import styles from './Conversation.module.css'
import { titleOf } from '../../features/parts/channels/titleOf.ts'

interface Props {
  channel: ChannelWithPermissions
  /** In a thread its first message. */
  root?: Message | null
}

/** What the author should know above the composer; or why there is none, and what to do. */
export default function PostingNotice({ channel, root }: Props) {
  if (root?.deleted_at)
    return (
      <p className={styles.note}>
        {root.extras?.moved_to
          ? i18n._('This thread was moved. Reply where it is now.')
          : i18n._('The original message was deleted, so this thread is closed to new replies.')}
      </p>
    )
  return (
    <>
      {channel.othersLeft ? <OthersLeft channel={channel} /> : null}
      {channel.canPost ? null : <ReadOnly channel={channel} />}
    </>
  )
}

/** Former members are not notified: the author should know. */
function OthersLeft({ channel }: { channel: ChannelWithPermissions }) {
  return (
    <p className={styles.othersLeft}>
      {channel.kind === 'group'
        ? i18n._('Everyone else here has left the workspace, so nobody will see new messages.')
        : i18n._('{name} has left the workspace and won’t see new messages.', {
            name: isolateBidi(channel.name),
          })}
    </p>
  )
}

function ReadOnly({ channel }: { channel: ChannelWithPermissions }) {
  const showToast = useToast()
  const [busy, setBusy] = useState(false)
  const runCommand = async (run: () => Promise<Outcome<unknown>>) => {
    setBusy(true)
    const outcome = await run()
    setBusy(false)
    if (!outcome.ok) showToast({ text: outcome.failure.message })
  }
  if (channel.archived) {
    return (
      <div className={cx(styles.note, styles.join)}>
        <p>{i18n._('This channel is archived. You can read it, but not post.')}</p>
        {channel.permissions.archive ? (
          <Button busy={busy} onClick={() => void runCommand(() => archiveChannel(channel.id, false))}>
            {i18n._('Unarchive')}
          </Button>
        ) : null}
      </div>
    )
  }
  if (channel.isMember) return <p className={styles.note}>{i18n._('Only channel managers can post here.')}</p>
  return (
    <div className={cx(styles.note, styles.join)}>
      <p>{i18n._('You’re previewing {place}. Join to post.', { place: titleOf(channel) })}</p>
      <Button variant="primary" busy={busy} onClick={() => void runCommand(() => joinChannel(channel.id))}>
        {i18n._('Join channel')}
      </Button>
    </div>
  )
}
