import { i18n } from '@lingui/core'
import { useState, type ReactNode } from 'react'
import { archiveChannel } from '../../../data/channels/channelCommands.ts'
import { updateChannel } from '../../../data/channels/manageChannels.ts'
import type { ChannelWithPermissions } from '../../../data/channels/channels.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { useToast } from '../../../ui/toast.ts'
import layout from '../../../ui/dialogLayout.module.css'
import { useOverlay } from '../../overlays/OverlayContext.ts'
import { useMe } from '../../members/MeContext.ts'
import { rejoinPath, rejoinSentence } from '../rejoinPath.ts'
import { visibilitySentence } from '../visibilitySentence.ts'
import type { ChannelPerson } from '../useChannelPeople.ts'
import { ConfirmDialog } from './ConfirmDialog.tsx'
import styles from './Details.module.css'
import { ConfirmVisibility } from './ConfirmVisibility.tsx'

interface Props {
  channel: ChannelWithPermissions
  people: ChannelPerson[] | null
}

/** Posting rights, visibility, archiving, and leaving the channel. */
export function ChannelSettings({ channel, people }: Props) {
  const open = useOverlay()
  const showToast = useToast()
  const me = useMe()
  const [openDialog, setOpenDialog] = useState<'visibility' | 'archive' | null>(null)
  const { permissions } = channel
  const { posting } = channel.entry.channel
  const isPrivate = channel.kind === 'private'
  const closeDialog = () => setOpenDialog(null)
  const setPosting = async (admins: boolean) => {
    const outcome = await updateChannel(channel.id, { posting: admins ? 'admins' : 'everyone' })
    if (!outcome.ok) showToast({ text: outcome.failure.message })
  }
  const reopen = async () => {
    const outcome = await archiveChannel(channel.id, false)
    if (!outcome.ok) showToast({ text: outcome.failure.message })
  }
  return (
    <div className={layout.body}>
      {permissions.manage ? (
        <>
          <div className={styles.rule}>
            <Checkbox
              label={i18n._('Announcement channel')}
              hint={i18n._('Only channel managers can post; everyone can read and react.')}
              checked={posting === 'admins'}
              onChange={(on) => void setPosting(on)}
            />
          </div>
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
        <p className={layout.small}>{description}</p>
      </div>
      {action}
    </div>
  )
}
