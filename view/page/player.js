// player.js: time: play, pause, speed, scrub, keys.
"use strict";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

class Player {
  constructor(duration, changed) {
    this.duration = duration;
    this.changed = changed;
    this.time = 0;
    this.speed = 1;
    this.playing = false;
    this.loop = true;
    this.button = document.getElementById("play");
    this.slider = document.getElementById("scrub");
    this.clock = document.getElementById("clock");
    this.choice = document.getElementById("speed");
    this.choice.replaceChildren(...SPEEDS.map(s => new Option(s + "×", s, s === 1, s === 1)));
    this.slider.max = duration;
    this.slider.step = "any";
    this.button.onclick = () => this.toggle();
    this.slider.oninput = () => { const time = +this.slider.value; this.pause(); this.seek(time); };
    this.choice.onchange = () => { this.speed = +this.choice.value; };
    this.show();
  }

  toggle() { if (this.playing) this.pause(); else this.play(); }
  play() {
    if (this.time >= this.duration - 1e-6) this.time = 0;
    this.playing = true;
    this.last = undefined;
    this.show();
  }
  pause() { this.playing = false; this.show(); }
  seek(time) { this.time = clamp(time, 0, this.duration); this.show(); this.changed(); }
  faster(step) {
    const i = clamp(SPEEDS.indexOf(this.speed) + step, 0, SPEEDS.length - 1);
    this.speed = SPEEDS[i];
    this.choice.value = this.speed;
  }

  // Called once per screen refresh with its time in ms; true when the picture has moved.
  tick(now) {
    if (!this.playing) return false;
    const passed = this.last === undefined ? 0 : Math.min(0.1, (now - this.last) / 1000);
    this.last = now;
    this.time += passed * this.speed;
    if (this.time > this.duration) {
      if (this.loop) this.time = 0; else { this.time = this.duration; this.playing = false; }
    }
    this.show();
    return true;
  }

  show() {
    this.button.classList.toggle("playing", this.playing);
    this.button.setAttribute("aria-label", this.playing ? "pause" : "play");
    this.slider.value = this.time;
    this.slider.style.setProperty("--done", (this.duration > 0 ? 100 * this.time / this.duration : 0) + "%");
    this.clock.textContent = `${this.time.toFixed(2)} / ${this.duration.toFixed(2)} s`;
  }

  // Space, arrows, home, end, brackets; true when the key was one of ours.
  key(e, frame) {
    const step = e.shiftKey ? 0.5 : frame;
    switch (e.key) {
      case " ": this.toggle(); return true;
      case "ArrowLeft": this.pause(); this.seek(this.time - step); return true;
      case "ArrowRight": this.pause(); this.seek(this.time + step); return true;
      case "Home": this.seek(0); return true;
      case "End": this.pause(); this.seek(this.duration); return true;
      case "[": case "-": this.faster(-1); return true;
      case "]": case "+": this.faster(1); return true;
    }
    return false;
  }
}
