import type { Outcome } from '../../data/failures/failures.ts'
import { useSetting } from '../../data/hooks/useSetting.ts'
import { RadioGroup } from '../../ui/RadioGroup.tsx'

interface Props<V extends string> {
  label: string
  hideLabel?: boolean
  saved: V
  options: { value: V; label: string }[]
  save: (value: V) => Promise<Outcome<unknown>>
}

/** A setting with a few values, which is saved once one is chosen. */
export function SettingChoice<V extends string>({ label, hideLabel, saved, options, save }: Props<V>) {
  const setting = useSetting(saved, save)
  return (
    <div>
      <RadioGroup
        label={label}
        hideLabel={hideLabel}
        value={setting.value}
        options={options}
        onChange={setting.choose}
      />
      {setting.failure ? <p role="alert">{setting.failure}</p> : null}
    </div>
  )
}
