import { i18n } from '@lingui/core'
import { useState } from 'react'
import { LIMITS } from '../../../wire/linnet.ts'
import { changeSection, createSection, moveConversation } from '../../data/sidebar/sidebarCommands.ts'
import { useSideGroups } from '../../data/sidebar/sections.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Form } from '../../ui/Form.tsx'
import sheet from '../../ui/Sheet.module.css'
import { TextField } from '../../ui/TextField.tsx'
import { useKeeping } from './useKeeping.ts'

interface Props {
  /** The section to rename; null makes a new one. */
  id: string | null
  name?: string | undefined
  /** A conversation that goes into the new one. */
  channelId?: string | undefined
  onClose: () => void
}

/** Names a section of the side, new or old. */
export default function SectionName({ id, name: before = '', channelId, onClose }: Props) {
  const groups = useSideGroups(null)
  const keeping = useKeeping()
  const [name, setName] = useState(before)
  const wanted = name.trim()
  const taken = groups.some(
    ({ section }) => section && section.id !== id && section.name.toLowerCase() === wanted.toLowerCase(),
  )

  const save = () => {
    if (!wanted || taken) return
    onClose()
    if (id) {
      if (wanted !== before) keeping(() => changeSection(id, { name: wanted }))
      return
    }
    const item = groups.flatMap((group) => group.items).find((one) => one.id === channelId)
    keeping(async () => {
      const made = await createSection(wanted)
      if (!made.ok || !item) return made
      return moveConversation(item, { key: made.value, kind: 'own', items: [] }, 0)
    })
  }

  return (
    <Dialog title={id ? i18n._('Rename the section') : i18n._('New section')} onClose={onClose}>
      <div className={sheet.body}>
        <Form onSubmit={save}>
          <TextField
            label={i18n._('Section name')}
            hint={i18n._('Sections are just for you. Nobody else sees them.')}
            error={taken ? i18n._('You already have a section with this name.') : null}
            value={name}
            maxLength={LIMITS.sectionCharacters}
            autoComplete="off"
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <div className={sheet.foot}>
            <Button look="quiet" onClick={onClose}>
              {i18n._('Cancel')}
            </Button>
            <Button type="submit" look="primary" disabled={!wanted || taken}>
              {id ? i18n._('Save') : i18n._('Create section')}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}
