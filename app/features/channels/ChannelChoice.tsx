import { i18n } from '@lingui/core'
import { browseChannels } from '../../data/channels/manageChannels.ts'
import { Checkbox } from '../../ui/Checkbox.tsx'
import { cx } from '../../ui/cx.ts'
import layout from '../../ui/dialogLayout.module.css'
import { useAsync } from '../../ui/useAsync.ts'

interface Props {
  label: string
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
  /** Without private channels. */
  isPublicOnly?: boolean
}

/** Checkboxes for the channels that the user can read, without archived ones. */
export function ChannelChoice({ label, chosen, onChange, isPublicOnly = false }: Props) {
  const outcome = useAsync(browseChannels)
  const channels = outcome?.ok
    ? outcome.value.filter(
        ({ channel }) => channel.archived_at === null && !(isPublicOnly && channel.kind === 'private'),
      )
    : []
  return (
    <fieldset>
      <legend className={layout.label}>{label}</legend>
      {outcome?.ok === false ? <p role="alert">{outcome.failure.message}</p> : null}
      <ul className={cx(layout.list, layout.short)}>
        {channels.map(({ channel }) => (
          <li key={channel.id} className={layout.row}>
            <Checkbox
              label={`#${channel.name ?? ''}`}
              hint={channel.kind === 'private' ? i18n._('Private') : undefined}
              checked={chosen.includes(channel.id)}
              onChange={(on) =>
                onChange(on ? [...chosen, channel.id] : chosen.filter((id) => id !== channel.id))
              }
            />
          </li>
        ))}
      </ul>
    </fieldset>
  )
}
