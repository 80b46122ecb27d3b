import { i18n } from '@lingui/core'
import { publicChannels } from '../../../data/channels/publicChannels.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { cx } from '../../../ui/cx.ts'
import layout from '../../../ui/dialogLayout.module.css'
import { QueryContent } from '../../parts/lists/QueryContent.tsx'

interface Props {
  label: string
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
  /** Without private channels. */
  isPublicOnly?: boolean
}

/** Checkboxes for the channels that the user can read, without archived ones. */
export function ChannelChoice({ label, chosen, onChange, isPublicOnly = false }: Props) {
  return (
    <fieldset>
      <legend className="label">{label}</legend>
      <QueryContent query={useQuery(publicChannels)} loading={label}>
        {(all) => (
          <ul className={cx(layout.list, layout.short)}>
            {all
              .filter(
                ({ channel }) =>
                  channel.archived_at === null && !(isPublicOnly && channel.kind === 'private'),
              )
              .map(({ channel }) => (
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
        )}
      </QueryContent>
    </fieldset>
  )
}
