// A search box that waits until the typing pauses, then asks the server once.
export function attachSearchBox(input, list, fetchHits, pauseMs = 200) {
  let timer = null;
  let latest = 0;

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const ticket = ++latest;
      const hits = await fetchHits(input.value.trim());
      if (ticket !== latest) return; // an older answer came late
      list.replaceChildren(...hits.map((hit) => {
        const item = document.createElement("li");
        item.textContent = `${hit.title} (${hit.score.toFixed(2)})`;
        return item;
      }));
    }, pauseMs);
  });
}
