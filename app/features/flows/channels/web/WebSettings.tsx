import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { ChannelWithPermissions } from '../../../../data/channels/channels.ts'
import { publishChannel } from '../../../../data/channels/manageChannels.ts'
import { useSetting } from '../../../../data/hooks/useSetting.ts'
import { isOwnerOrAdmin } from '../../../../data/workspaces/workspacePermissions.ts'
import { Button } from '../../../../ui/Button.tsx'
import { formatDayAndTime } from '../../../../ui/dates.ts'
import { Switch } from '../../../../ui/Switch.tsx'
import { useMe } from '../../../parts/members/MeContext.ts'
import styles from '../details/Details.module.css'
import { PublishDialog } from './PublishDialog.tsx'
import { webPath } from '../../../../paths.ts'

/** Whether anyone can read the channel on the web. */
export function WebSettings({ channel }: { channel: ChannelWithPermissions }) {
  const { role, workspace } = useMe()
  const [isOpen, setOpen] = useState(false)
  const since = channel.entry.channel.web_since
  const isWorkspaceAdmin = isOwnerOrAdmin({ role })
  const { manage } = channel.permissions
  const mayPublish = manage && (isWorkspaceAdmin || workspace.web_channels_by === 'channel_admins')
  const files = useSetting(channel.entry.channel.web_files, (isOn) =>
    publishChannel(channel.id, true, { files: isOn }),
  )
  // The dialog stays while it closes.
  if (!isOpen && !(since ? manage || isWorkspaceAdmin : mayPublish && channel.kind === 'public')) return null
  return (
    <>
      <div className={styles.rule}>
        <div>
          <p className={styles.ruleName}>{i18n._('On the web')}</p>
          <p className="note">
            {since
              ? i18n._('Since {time}, anyone can read what is written here, without signing in.', {
                  time: formatDayAndTime(since),
                })
              : i18n._('Let anyone read what is written here from now on, without signing in.')}
          </p>
          {since ? (
            <p className="note">
              <a href={webPath(channel.id)} target="_blank" rel="noopener noreferrer">
                {i18n._('See the page')}
              </a>
            </p>
          ) : null}
        </div>
        <Button onClick={() => setOpen(true)}>
          {since ? i18n._('Remove from the web') : i18n._('Put on the web')}
        </Button>
        {isOpen ? <PublishDialog channel={channel} onClose={() => setOpen(false)} /> : null}
      </div>
      {since && mayPublish ? (
        <div className={styles.rule}>
          <Switch
            label={i18n._('Pictures and files on the web')}
            hint={
              files.value
                ? i18n._(
                    'Anyone can see and download what is sent here. If you turn this off, the page hides all files.',
                  )
                : i18n._('Anyone can then see and download what is sent from now on.')
            }
            checked={files.value}
            onChange={files.choose}
            failure={files.failure}
          />
        </div>
      ) : null}
    </>
  )
}
