import { i18n } from '@lingui/core'
import { useLocation } from 'wouter'
import { LIMITS } from '../../../../wire/linnet.ts'
import { updateChannel } from '../../../data/channels/channelCommands.ts'
import type { ChannelView } from '../../../data/channels/channels.ts'
import { useProfile } from '../../../data/people/people.ts'
import { isolated } from '../../../data/people/isolateBidi.ts'
import { setPreferences } from '../../../data/sidebar/sidebarCommands.ts'
import type { Preferences } from '../../../data/sidebar/sections.ts'
import { Button } from '../../../ui/Button.tsx'
import { Check } from '../../../ui/Check.tsx'
import { momentOf } from '../../../ui/clock.ts'
import sheet from '../../../ui/Sheet.module.css'
import { useCopyLink } from '../../side/useCopyLink.ts'
import { useKeeping } from '../../side/useKeeping.ts'
import { kindSentence } from '../kindSentence.ts'
import styles from './Details.module.css'
import { InPlace } from './InPlace.tsx'

/** What a channel is for, and what of it one is told. */
export function About({
  channel,
  edit,
  onClose,
}: {
  channel: ChannelView
  edit?: 'topic' | undefined
  onClose: () => void
}) {
  const [, navigate] = useLocation()
  const { channel: row } = channel.entry
  const isChannel = channel.kind === 'public' || channel.kind === 'private'
  const copyLink = useCopyLink()
  return (
    <div className={sheet.body}>
      {isChannel ? (
        <div className={styles.fields}>
          {channel.archived ? (
            <p className={sheet.soft}>{i18n._('This channel is archived and can’t be changed.')}</p>
          ) : null}
          <InPlace
            label={i18n._('Name')}
            value={channel.name}
            empty=""
            most={LIMITS.channelNameCharacters}
            required
            editable={channel.rights.manage}
            onSave={(name) => updateChannel(channel.id, { name })}
          />
          <InPlace
            label={i18n._('Topic')}
            value={row.topic}
            empty={i18n._('No topic yet.')}
            most={LIMITS.topicCharacters}
            editable={channel.rights.topic}
            editing={edit === 'topic'}
            onSave={(topic) => updateChannel(channel.id, { topic })}
          />
          <InPlace
            label={i18n._('Description')}
            value={row.description}
            empty={i18n._('No description yet. Add one to help people decide whether to join.')}
            most={LIMITS.descriptionCharacters}
            long
            editable={channel.rights.topic}
            onSave={(description) => updateChannel(channel.id, { description })}
          />
        </div>
      ) : null}
      {channel.member ? <Mine channel={channel} /> : null}
      <div className={styles.facts}>
        {isChannel ? <Made channel={channel} /> : null}
        <div className={styles.foot}>
          <Button
            onClick={() => {
              onClose()
              navigate(`/c/${channel.id}/files`)
            }}
          >
            {i18n._('Files')}
          </Button>
          <Button onClick={() => copyLink(channel.id)}>{i18n._('Copy link')}</Button>
        </div>
      </div>
    </div>
  )
}

/** One's own preferences here. */
function Mine({ channel }: { channel: ChannelView }) {
  const keeping = useKeeping()
  const set = (change: Partial<Preferences>) => keeping(() => setPreferences(channel.id, change))
  return (
    <div className={styles.facts}>
      <Check
        label={i18n._('Mute')}
        hint={i18n._('Stays quiet in your sidebar unless someone mentions you.')}
        checked={channel.muted}
        onChange={(muted) => set({ muted })}
      />
      <Check
        label={i18n._('Star')}
        hint={i18n._('Pinned to the top of your sidebar.')}
        checked={channel.starred}
        onChange={(starred) => set({ starred })}
      />
    </div>
  )
}

function Made({ channel }: { channel: ChannelView }) {
  const { created_by, created_at, kind, posting } = channel.entry.channel
  const maker = useProfile(created_by ?? '')
  const at = momentOf(created_at)
  return (
    <div className={sheet.small}>
      <p>{kindSentence(kind)}</p>
      {posting === 'admins' ? <p>{i18n._('Announcement channel: only channel managers can post.')}</p> : null}
      <p>
        {maker
          ? i18n._('Created by {name}, {at}.', { name: isolated(maker.name), at })
          : i18n._('Created {at}.', { at })}
      </p>
    </div>
  )
}
