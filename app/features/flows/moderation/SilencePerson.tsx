import { i18n } from '@lingui/core'
import { useState } from 'react'
import { silenceMember } from '../../../data/moderation/moderation.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useProfile } from '../../../data/people/people.ts'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { ReasonDialog } from './ReasonDialog.tsx'

interface Props {
  id: string
  onDone?: () => void
  onClose: () => void
}

/** Minutes, as the values of the radio buttons. */
type Duration = '60' | '1440' | '10080'

/** Silences a person for an hour, a day or a week. */
export default function SilencePerson({ id, onDone, onClose }: Props) {
  const profile = useProfile(id)
  const [duration, setDuration] = useState<Duration>('60')
  const name = isolateBidi(profile?.name ?? i18n._('Former member'))
  return (
    <ReasonDialog
      title={i18n._('Silence {name}?', { name })}
      hint={i18n._('{name} sees the reason, and can read but not write until then.', { name })}
      action={i18n._('Silence')}
      doneText={i18n._('{name} is silenced.', { name })}
      run={(reason) => silenceMember(id, Number(duration), reason)}
      onDone={onDone}
      onClose={onClose}
    >
      <RadioGroup
        label={i18n._('For how long')}
        value={duration}
        options={[
          { value: '60', label: i18n._('An hour') },
          { value: '1440', label: i18n._('A day') },
          { value: '10080', label: i18n._('A week') },
        ]}
        onChange={setDuration}
      />
    </ReasonDialog>
  )
}
