import { i18n } from '@lingui/core'
import { useState } from 'react'
import { publishChannel } from '../../../../data/channels/manageChannels.ts'
import type { ChannelWithPermissions } from '../../../../data/channels/channels.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { Checkbox } from '../../../../ui/Checkbox.tsx'
import { ConfirmDialog } from '../../../../ui/ConfirmDialog.tsx'
import { useMe } from '../../../parts/members/MeContext.ts'
import styles from './PublishDialog.module.css'

/** States what anyone will see, and what nobody outside will, before a channel is put on the web; or that this ends. */
export function PublishDialog({
  channel,
  onClose,
}: {
  channel: ChannelWithPermissions
  onClose: () => void
}) {
  // The channel changes before the dialog is closed.
  const [publishes] = useState(!channel.entry.channel.web_since)
  const name = isolateBidi(channel.name)
  const { role } = useMe()
  const [hasHistory, setHistory] = useState(false)
  const [hasFiles, setFiles] = useState(false)
  const run = () =>
    publishChannel(channel.id, publishes, publishes ? { history: hasHistory, files: hasFiles } : {})
  if (!publishes)
    return (
      <ConfirmDialog
        title={i18n._('Remove {name} from the web?', { name })}
        action={i18n._('Remove from the web')}
        isDestructive
        run={run}
        onClose={onClose}
      >
        <p>
          {i18n._(
            'The page disappears for everyone right away. What people have copied from it stays with them.',
          )}
        </p>
      </ConfirmDialog>
    )
  return (
    <ConfirmDialog
      title={i18n._('Put {name} on the web?', { name })}
      action={i18n._('Put on the web')}
      run={run}
      onClose={onClose}
    >
      <p>{i18n._('Anyone with the link can read the channel, without signing in. They see:')}</p>
      <ul className={styles.list}>
        <li>{i18n._('the name of the workspace, and the name and topic of the channel')}</li>
        <li>
          {hasHistory
            ? i18n._(
                'all messages and replies: their text and time, how many reactions they have, and the names of their authors',
              )
            : i18n._(
                'messages and replies written from now on: their text and time, how many reactions they have, and the names of their authors',
              )}
        </li>
        <li>
          {hasFiles
            ? i18n._('the pictures and files of these messages, which anyone can download')
            : i18n._('how many files these messages have')}
        </li>
      </ul>
      <p>{i18n._('They don’t see:')}</p>
      <ul className={styles.list}>
        <li>
          {hasHistory
            ? i18n._('threads moved here')
            : i18n._('anything written before, replies to it, or threads moved here')}
        </li>
        <li>
          {hasFiles
            ? i18n._('link previews, poll options, and messages that were quoted or forwarded')
            : i18n._(
                'files, pictures, link previews, poll options, and messages that were quoted or forwarded',
              )}
        </li>
        <li>{i18n._('who is in the channel, profiles, profile pictures and email addresses')}</li>
      </ul>
      <Checkbox
        label={i18n._('Show pictures and files')}
        hint={i18n._('Anyone can see and download them.')}
        checked={hasFiles}
        onChange={setFiles}
      />
      {role === 'owner' ? (
        <Checkbox
          label={i18n._('Show earlier messages too')}
          hint={i18n._('People wrote them before the channel was on the web. Ask them first.')}
          checked={hasHistory}
          onChange={setHistory}
        />
      ) : null}
      <p>
        {i18n._(
          'Members see a message and a permanent label in the channel. Messages that are scheduled or waiting to be sent stay unsent until their authors confirm them. The page stays up until you remove it, or until the channel becomes private or is archived.',
        )}
      </p>
    </ConfirmDialog>
  )
}
