import { i18n } from '@lingui/core'
import { useState } from 'react'
import { archiveChannel, joinChannel } from '../../data/channels/channelCommands.ts'
import type { ChannelWithPermissions } from '../../data/channels/channels.ts'
import type { Outcome } from '../../data/failures/failures.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { useToast } from '../../ui/toast.ts'
import styles from './Pane.module.css'
import { titleOf } from '../../features/channels/titleOf.ts'

/** Replaces the composer where the reader can't post: the reason, and what to do. */
export function ReadOnlyNotice({ channel }: { channel: ChannelWithPermissions }) {
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
