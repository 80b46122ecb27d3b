import { i18n } from '@lingui/core'
import type { ComponentProps } from 'react'
import { SelectField } from '../../ui/SelectField.tsx'

interface Props extends Pick<
  ComponentProps<typeof SelectField<string>>,
  'value' | 'hint' | 'disabled' | 'onChange'
> {
  /** The zones that are offered before all others. */
  first: readonly string[]
  /** What an empty value is called; without it a zone has to be chosen. */
  empty?: string
}

/** A choice of all time zones that the browser knows. */
export function TimeZoneSelect({ first, empty, ...field }: Props) {
  const zones = [...new Set([...first, ...Intl.supportedValuesOf('timeZone')])]
  return (
    <SelectField
      {...field}
      label={i18n._('Time zone')}
      options={[
        ...(empty === undefined ? [] : [{ value: '', label: empty }]),
        ...zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') })),
      ]}
    />
  )
}
