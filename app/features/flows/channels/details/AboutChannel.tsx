import { i18n } from '@lingui/core'
import { useState } from 'react'
import { pathTo } from '../../../../paths.ts'
import { navigate } from '../../../../historyState.ts'
import { isChannel } from '../../../../../wire/channels.ts'
import { LIMITS } from '../../../../../wire/limits.ts'
import { updateChannel } from '../../../../data/channels/manageChannels.ts'
import type { ChannelWithPermissions } from '../../../../data/channels/channels.ts'
import { useProfile } from '../../../../data/people/people.ts'
import { isolateBidi } from '../../../../data/people/isolateBidi.ts'
import { useNotificationPreferences } from '../../../../data/notifications/preferences.ts'
import { setPreferences } from '../../../../data/sidebar/sidebarCommands.ts'
import type { Preferences } from '../../../../data/sidebar/sections.ts'
import { Button } from '../../../../ui/Button.tsx'
import { Switch } from '../../../../ui/Switch.tsx'
import { formatDateTime } from '../../../../ui/dates.ts'
import layout from '../../../../ui/dialogLayout.module.css'
import { RadioGroup } from '../../../../ui/RadioGroup.tsx'
import { useMe } from '../../../parts/members/MeContext.ts'
import { defaultLevelLabel, levelLabel, LEVELS } from '../../notifications/levelLabels.ts'
import { useCopyLink } from '../../../parts/useCopyLink.ts'
import { useToastOnError } from '../../../parts/toasts/useToastOnError.ts'
import { BookmarkDialog } from '../bookmarks/BookmarkDialog.tsx'
import { visibilitySentence } from '../visibilitySentence.ts'
import styles from './Details.module.css'
import { InlineEdit } from './InlineEdit.tsx'

/** What the channel is for, and the reader's own notification preferences for it. */
export function AboutChannel({
  channel,
  edit,
  onClose,
}: {
  channel: ChannelWithPermissions
  edit?: 'topic' | undefined
  onClose: () => void
}) {
  const { channel: row } = channel.entry
  const copyLink = useCopyLink()
  const { role } = useMe()
  const [isBookmarking, setBookmarking] = useState(false)
  return (
    <div className={layout.body}>
      {isChannel(channel) ? (
        <div className={styles.fields}>
          {channel.archived ? (
            <p className="muted">{i18n._('This channel is archived and can’t be changed.')}</p>
          ) : null}
          <InlineEdit
            label={i18n._('Name')}
            value={channel.name}
            empty=""
            maxLength={LIMITS.channelNameCharacters}
            required
            editable={channel.permissions.manage}
            onSave={(name) => updateChannel(channel.id, { name })}
          />
          <InlineEdit
            label={i18n._('Topic')}
            value={row.topic}
            empty={i18n._('No topic yet.')}
            maxLength={LIMITS.topicCharacters}
            editable={channel.permissions.topic}
            editing={edit === 'topic'}
            onSave={(topic) => updateChannel(channel.id, { topic })}
          />
          <InlineEdit
            label={i18n._('Description')}
            value={row.description}
            empty={i18n._('No description yet. Add one to help people decide whether to join.')}
            maxLength={LIMITS.descriptionCharacters}
            long
            editable={channel.permissions.topic}
            onSave={(description) => updateChannel(channel.id, { description })}
          />
        </div>
      ) : null}
      {channel.isMember ? <OwnPreferences channel={channel} /> : null}
      <div className={styles.metadata}>
        {isChannel(channel) ? <CreationFacts channel={channel} /> : null}
        <div className={styles.foot}>
          <Button
            onClick={() => {
              onClose()
              navigate(pathTo('channelFiles', { channelId: channel.id }))
            }}
          >
            {i18n._('Files')}
          </Button>
          <Button onClick={() => copyLink(pathTo('channel', { channelId: channel.id }))}>
            {i18n._('Copy link')}
          </Button>
          {channel.permissions.post && role !== 'guest' ? (
            <Button onClick={() => setBookmarking(true)}>{i18n._('Add a bookmark')}</Button>
          ) : null}
        </div>
      </div>
      {isBookmarking ? (
        <BookmarkDialog
          channelId={channel.id}
          bookmark={null}
          onSaved={onClose}
          onClose={() => setBookmarking(false)}
        />
      ) : null}
    </div>
  )
}

/** The reader's own preferences for this channel. */
function OwnPreferences({ channel }: { channel: ChannelWithPermissions }) {
  const runWithToast = useToastOnError()
  const set = (change: Partial<Preferences>) => runWithToast(() => setPreferences(channel.id, change))
  return (
    <div className={styles.metadata}>
      <Switch
        label={i18n._('Mute')}
        hint={i18n._('Stays quiet in your sidebar unless someone mentions you.')}
        checked={channel.muted}
        onChange={(muted) => set({ muted })}
      />
      <Switch
        label={i18n._('Star')}
        hint={i18n._('Pinned to the top of your sidebar.')}
        checked={channel.starred}
        onChange={(starred) => set({ starred })}
      />
      <NotificationLevel channel={channel} onChange={(notify) => set({ notify })} />
    </div>
  )
}

function NotificationLevel({
  channel,
  onChange,
}: {
  channel: ChannelWithPermissions
  onChange: (notify: Preferences['notify']) => void
}) {
  const preferences = useNotificationPreferences().value
  const meaning = defaultLevelLabel(channel, preferences)
  return (
    <RadioGroup
      label={i18n._('Notifications')}
      value={channel.notify}
      options={LEVELS.map((value) => ({
        value,
        label:
          value === 'default' && meaning ? i18n._('Default ({meaning})', { meaning }) : levelLabel(value),
      }))}
      onChange={onChange}
    />
  )
}

function CreationFacts({ channel }: { channel: ChannelWithPermissions }) {
  const { created_by, created_at, kind, posting } = channel.entry.channel
  const creator = useProfile(created_by ?? '')
  const at = formatDateTime(created_at)
  return (
    <div className="note">
      <p>{visibilitySentence(kind)}</p>
      {posting === 'admins' ? <p>{i18n._('Announcement channel: only channel managers can post.')}</p> : null}
      <p>
        {creator
          ? i18n._('Created by {name}, {at}.', { name: isolateBidi(creator.name), at })
          : i18n._('Created {at}.', { at })}
      </p>
    </div>
  )
}
