import type { Outcome } from '../../data/failures/failures.ts'
import { useSetting } from '../../data/hooks/useSetting.ts'
import { RadioGroup } from '../../ui/RadioGroup.tsx'

interface Props<V extends string> {
  label: string
  hideLabel?: boolean
  hint?: string
  saved: V
  options: { value: V; label: string }[]
  save: (value: V) => Promise<Outcome<unknown>>
}

/** A setting with a few values, which is saved once one is chosen. */
export function SettingChoice<V extends string>({ saved, save, ...group }: Props<V>) {
  const setting = useSetting(saved, save)
  return (
    <div>
      <RadioGroup {...group} value={setting.value} onChange={setting.choose} />
      {setting.failure ? <p role="alert">{setting.failure}</p> : null}
    </div>
  )
}
