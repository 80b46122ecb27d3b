import { i18n } from '@lingui/core'
import type { Outcome } from '../../../data/failures/failures.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form } from '../../../ui/Form.tsx'
import { useNotice } from '../../../ui/notice.ts'
import sheet from '../../../ui/Sheet.module.css'
import { useAction } from '../../account/useAction.ts'

interface Props {
  title: string
  /** What it means. */
  words: string
  /** The button, "Remove" unless said. */
  label?: string
  /** Said when it is done. */
  done: string
  remove: () => Promise<Outcome>
  onDone: () => void
  onClose: () => void
}

/** Asks before a way into one's account is closed. */
export function Removal({ title, words, label, done, remove, onDone, onClose }: Props) {
  const notice = useNotice()
  const action = useAction()
  const submit = async () => {
    if (!(await action.run(remove))) return
    notice({ words: done })
    onDone()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <div className={sheet.body}>
        <Form onSubmit={() => void submit()} failure={action.failure}>
          <p>{words}</p>
          <div className={sheet.foot}>
            <Button look="quiet" onClick={onClose}>
              {i18n._('Cancel')}
            </Button>
            <Button type="submit" look="primary" busy={action.busy}>
              {label ?? i18n._('Remove')}
            </Button>
          </div>
        </Form>
      </div>
    </Dialog>
  )
}
