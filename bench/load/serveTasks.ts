/** The result of a task, sent to the parent process. */
export type TaskResult<Answer> = { answer: Answer } | { error: string }

/** Runs the parent's tasks, one at a time, until it disconnects; resolves to the exit code. */
export function serveTasks<Task, Answer>(answer: (task: Task) => Promise<Answer>): Promise<number> {
  // A terminal interrupts the parent too, which ends this process after its cleanup.
  process.on('SIGINT', () => {})
  const send = (result: TaskResult<Answer>): void => {
    if (process.connected) process.send!(result)
  }
  process.on('message', (task: Task) => {
    answer(task).then(
      (answer) => send({ answer }),
      (error: Error) => send({ error: error.message }),
    )
  })
  return new Promise((resolve) => {
    process.once('disconnect', () => {
      resolve(0)
      // Sockets that tasks left open must not keep the process, whose end its parent awaits.
      setTimeout(() => process.exit(), 500).unref()
    })
  })
}
