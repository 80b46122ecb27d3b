import { i18n } from '@lingui/core'
import { useState, type ReactNode } from 'react'
import { isChannel } from '../../../../../wire/channels.ts'
import { useSetting } from '../../../../data/hooks/useSetting.ts'
import { archiveChannel } from '../../../../data/channels/channelCommands.ts'
import { setSlowMode } from '../../../../data/moderation/moderation.ts'
import { updateChannel } from '../../../../data/channels/manageChannels.ts'
import type { ChannelWithPermissions } from '../../../../data/channels/channels.ts'
import { canDeleteChannel } from '../../../../data/workspaces/workspacePermissions.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Switch } from '../../../../ui/Switch.tsx'
import { useToast } from '../../../../ui/toast.ts'
import layout from '../../../../ui/dialogLayout.module.css'
import { useOverlay } from '../../../parts/overlays/OverlayContext.ts'
import { useMe } from '../../../parts/members/MeContext.ts'
import { rejoinPath, rejoinSentence } from '../rejoinPath.ts'
import { WebSettings } from '../web/WebSettings.tsx'
import { visibilitySentence } from '../visibilitySentence.ts'
import type { ChannelPerson } from '../../../../data/channels/channelPeople.ts'
import { ConfirmDialog } from '../../../../ui/ConfirmDialog.tsx'
import styles from './Details.module.css'
import { ConfirmVisibility } from './ConfirmVisibility.tsx'

interface Props {
  channel: ChannelWithPermissions
  people: ChannelPerson[] | undefined
}

/** Posting rights, visibility, archiving, and leaving the channel. */
export function ChannelSettings({ channel, people }: Props) {
  const open = useOverlay()
  const showToast = useToast()
  const me = useMe()
  const [openDialog, setOpenDialog] = useState<'visibility' | 'archive' | null>(null)
  const { permissions } = channel
  const isPrivate = channel.kind === 'private'
  const closeDialog = () => setOpenDialog(null)
  const announcements = useSetting(channel.entry.channel.posting === 'admins', (isOn) =>
    updateChannel(channel.id, { posting: isOn ? 'admins' : 'everyone' }),
  )
  const reopen = async () => {
    const outcome = await archiveChannel(channel.id, false)
    if (!outcome.ok) showToast({ text: outcome.failure.message })
  }
  return (
    <div className={layout.body}>
      {permissions.manage ? (
        <>
          <div className={styles.rule}>
            <Switch
              label={i18n._('Announcement channel')}
              hint={i18n._('Only channel managers can post; everyone can read and react.')}
              checked={announcements.value}
              onChange={announcements.choose}
              failure={announcements.failure}
            />
          </div>
          <SlowMode channel={channel} />
          <SettingRow
            name={isPrivate ? i18n._('Private') : i18n._('Public')}
            description={visibilitySentence(channel.kind)}
            action={
              <Button onClick={() => setOpenDialog('visibility')}>
                {isPrivate ? i18n._('Make public') : i18n._('Make private')}
              </Button>
            }
          />
        </>
      ) : null}
      <WebSettings channel={channel} />
      {permissions.archive ? (
        <SettingRow
          name={channel.archived ? i18n._('Archived') : i18n._('Archive')}
          description={
            channel.archived
              ? i18n._('It stays readable and searchable, but nobody can post.')
              : i18n._(
                  'Archive a channel when you’re done with it. It stays readable and searchable, but nobody can post.',
                )
          }
          action={
            channel.archived ? (
              <Button onClick={() => void reopen()}>{i18n._('Unarchive')}</Button>
            ) : (
              <Button onClick={() => setOpenDialog('archive')}>{i18n._('Archive')}</Button>
            )
          }
        />
      ) : null}
      {permissions.leave ? (
        <SettingRow
          name={i18n._('Leave')}
          description={rejoinSentence(rejoinPath(channel.kind, channel.archived, me.role))}
          action={
            <Button onClick={() => open({ kind: 'leave-channel', channelId: channel.id })}>
              {i18n._('Leave channel')}
            </Button>
          }
        />
      ) : null}
      {canDeleteChannel(me, channel.entry.channel_role) && isChannel(channel.entry.channel) ? (
        <SettingRow
          name={i18n._('Delete')}
          description={i18n._('Permanently deletes its messages and files for everyone.')}
          action={
            <Button onClick={() => open({ kind: 'delete-channel', channel })}>
              {i18n._('Delete channel')}
            </Button>
          }
        />
      ) : null}
      {openDialog === 'visibility' ? (
        <ConfirmVisibility channel={channel} people={people} onClose={closeDialog} />
      ) : null}
      {openDialog === 'archive' ? (
        <ConfirmDialog
          title={i18n._('Archive this channel')}
          action={i18n._('Archive')}
          run={() => archiveChannel(channel.id, true)}
          onClose={closeDialog}
        >
          <p>
            {i18n._(
              'Nobody will be able to post, react or join until a channel manager unarchives it. It leaves everyone’s sidebar but stays readable and searchable.',
            )}
          </p>
        </ConfirmDialog>
      ) : null}
    </div>
  )
}

function SettingRow({ name, description, action }: { name: string; description: string; action: ReactNode }) {
  return (
    <div className={styles.rule}>
      <div>
        <p className={styles.ruleName}>{name}</p>
        <p className="note">{description}</p>
      </div>
      {action}
    </div>
  )
}

/** How long a person waits between two messages. */
function SlowMode({ channel }: { channel: ChannelWithPermissions }) {
  const showToast = useToast()
  /** Chosen, until the change arrives or fails. */
  const [chosen, setChosen] = useState<number | null>(null)
  const choose = async (next: number) => {
    setChosen(next)
    const outcome = await setSlowMode(channel.id, next)
    if (outcome.ok) return
    setChosen(null)
    showToast({ text: outcome.failure.message })
  }
  const labels: [number, string][] = [
    [0, i18n._('Off')],
    [10, i18n._('10 seconds')],
    [60, i18n._('A minute')],
    [600, i18n._('10 minutes')],
    [3600, i18n._('An hour')],
  ]
  return (
    <SettingRow
      name={i18n._('Slow mode')}
      description={i18n._(
        'How long people must wait between messages. Channel managers and bots are exempt.',
      )}
      action={
        <select
          className={styles.select}
          aria-label={i18n._('Slow mode')}
          value={chosen ?? channel.entry.channel.slow_seconds ?? 0}
          onChange={(event) => void choose(Number(event.currentTarget.value))}
        >
          {labels.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      }
    />
  )
}
