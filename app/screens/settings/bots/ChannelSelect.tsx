import { i18n } from '@lingui/core'
import type { Bot } from '../../../../wire/bots.ts'
import settings from '../SettingsPane.module.css'
import styles from './bots.module.css'

interface Props {
  bot: Bot
  value: string
  channelName: (id: string) => string
  onChange: (channel: string) => void
}

/** One of the bot's channels. */
export function ChannelSelect({ bot, value, channelName, onChange }: Props) {
  return (
    <label className={styles.choice}>
      <span className={settings.label}>{i18n._('Channel')}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {bot.channels.map((id) => (
          <option key={id} value={id}>
            {channelName(id)}
          </option>
        ))}
      </select>
    </label>
  )
}
